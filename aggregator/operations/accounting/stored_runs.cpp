#include "aggregator/operations/accounting/stored_runs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiles/records/step_profiles.hpp"
#include "profiles/store/owner_rights.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::operations {
namespace {

std::optional<store::StepEnergy> energy_of(const Outcome& outcome,
                                           const store::StepEnergies& energies) {
  const auto& run = outcome.run;
  if (!run || !run->step || !outcome.end) return std::nullopt;
  return energies.of(run->job, *run->step, run->nodes, run->start, outcome.end->elapsed);
}

}  // namespace

StoredRuns stored_runs(const store::Store& store, const std::string& user,
                       const std::optional<std::string>& label, const Period& period,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
  const store::OwnerRights rights(store.part_of(user));
  const auto files = store.outcomes(user, label);
  StoredRuns stored;
  std::map<std::filesystem::path, store::StepEnergies> energies;
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      ReportedRun run;
      run.outcome = records::load_record(files[i]);
      run.outcome.user = user;
      if (run.outcome.is_other_step()) continue;
      run.wanted = run.outcome.run && period.holds(run.outcome.run->start);
      const auto folder = files[i].parent_path();
      run.by_daemons = energy_of(run.outcome, energies.try_emplace(folder, folder).first->second);
      stored.runs.push_back(std::move(run));
    } catch (const Error& error) {
      if (stored.passed_over++ == 0) stored.first_error = error.what();
    }
    progress(i + 1, files.size());
  }
  return stored;
}

StoredRunsOfAll stored_runs_of_all(const store::Store& store,
                                   const std::optional<std::string>& label, const Period& period,
                                   const std::function<void(std::size_t, std::size_t)>& progress) {
  store::StoredUsers users = store.users();
  StoredRunsOfAll all;
  all.folders_passed_over = std::move(users.passed_over);
  for (const std::string& user : users.names) {
    try {
      StoredRuns stored = stored_runs(store, user, label, period, progress);
      std::move(stored.runs.begin(), stored.runs.end(), std::back_inserter(all.runs));
      if (all.passed_over == 0) all.first_error = std::move(stored.first_error);
      all.passed_over += stored.passed_over;
      ++all.users_read;
    } catch (const Error& error) {
      if (all.unread_users.empty()) all.first_unread = error.what();
      all.unread_users.push_back(user);
    }
  }
  return all;
}

}  // namespace huddle::operations
