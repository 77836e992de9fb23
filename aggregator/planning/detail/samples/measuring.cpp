#include "aggregator/planning/detail/samples/measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/life/obstacle.hpp"
#include "aggregator/planning/detail/samples/sample_files.hpp"
#include "aggregator/planning/detail/samples/step_survey.hpp"
#include "aggregator/planning/planner.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// After so many runs that taught nothing no more are made.
constexpr std::size_t kTries = 2;
constexpr std::string_view kPrefix = "making-";
constexpr std::string_view kClaimEnd = ".first";

std::string prefix_of_script(const std::string& script) {
  return fmt::format("{}{:016x}-", kPrefix, hash_of(script));
}

// The question that a run is measured for, as a file's name: the script, and what else a sample
// must agree in.
std::string name_of_question(const PlanRequest& request) {
  const std::string rest =
      fmt::format("{} {} {}", request.cores_per_rank, request.size.value_or(0),
                  request.program.path.empty() ? "" : text_of(request.program));
  return fmt::format("{}{:016x}", prefix_of_script(request.script), hash_of(rest));
}

bool same_question(const PlanRequest& one, const PlanRequest& other) {
  return one.cores_per_rank == other.cores_per_rank && one.size == other.size &&
         (one.program.path.empty() || other.program.path.empty() ||
          same_program(one.program, other.program));
}

bool is_of_question(const Outcome& record, const PlanRequest& request) {
  if (!request.script.empty() && !record.script.empty() && record.script != request.script)
    return false;
  // Without a request nobody knows of which size it was.
  return record.request ? same_question(*record.request, request) : !request.size;
}

/// Measured jobs that asked for the same, and left nothing to plan from.
struct VainRuns {
  std::set<std::uint64_t> jobs;
  /// Names a step with another number of tasks than the job has ranks, for people; may be empty.
  std::string example;
};

// A profile that is gone may have shown everything: somebody wants another one.
bool had_profile_that_is_gone(const Outcome& record) {
  std::error_code unknown;
  return !record.profile_file.empty() && !fs::exists(record.profile_file, unknown);
}

VainRuns vain_runs(const fs::path& folder, const PlanRequest& request, const JobStates& state_of) {
  constexpr std::size_t kMostRead = 64;
  constexpr std::size_t kMostQuestions = 2;  // somebody waits for the answer
  std::vector<std::string> names = files::names_in(folder);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("outcome-"); });
  std::sort(names.begin(), names.end(), std::greater<>());
  names.resize(std::min(names.size(), kMostRead));
  VainRuns runs;
  std::size_t questions = 0;
  const auto is_over = [&](const Outcome& step) {
    if (step.end) return true;
    if (questions++ >= kMostQuestions) return false;
    const std::string state = state_of(step.run->job);
    return !state.empty() && !is_going_on(state);
  };
  for (const std::string& name : names) {
    const std::optional<Outcome> step = step_record_in(folder / name);
    if (!step || step->treatment != Treatment::kMeasured || !is_of_question(*step, request) ||
        runs.jobs.contains(step->run->job) || had_profile_that_is_gone(*step) ||
        is_built_anew(step->run->launched) || !is_over(*step))
      continue;
    runs.jobs.insert(step->run->job);
    if (runs.example.empty() && step->run->tasks)
      runs.example = fmt::format(", but one with {} tasks of {}", *step->run->tasks,
                                 shortened(step_program(*step->run)));
  }
  return runs;
}

Obstacle in_vain(const VainRuns& runs, std::uint32_t ranks, const std::string& passed_over) {
  if (passed_over.empty())
    return {.kind = Obstacle::Kind::kNoProfileLeft,
            .name = runs.example,
            .count = runs.jobs.size(),
            .tasks = ranks};
  return {.kind = Obstacle::Kind::kNothingToLearn, .name = passed_over, .count = runs.jobs.size()};
}

// The number of other scripts that were measured and of which no submission was answered since:
// that frees their claims.
std::size_t scripts_that_came_once(const fs::path& folder, const std::string& script) {
  const std::string own = prefix_of_script(script);
  std::set<std::string> others;
  for (const std::string& name : files::names_in(folder))
    if (name.starts_with(kPrefix) && name.ends_with(kClaimEnd) && !name.starts_with(own))
      others.insert(name.substr(0, own.size()));
  return others.size();
}

// True of a script that must come again before it is measured, as it has not come before.
bool is_to_come_again(const fs::path& folder, const PlanRequest& request) {
  std::error_code unknown;
  if (request.script.empty() || !fs::is_directory(folder, unknown)) return false;
  const fs::path seen = folder / (name_of_question(request) + ".seen");
  if (fs::exists(seen, unknown) || fs::exists(fs::path(seen).replace_extension(kClaimEnd), unknown))
    return false;
  if (scripts_that_came_once(folder, request.script) < kTries) return false;
  if (!request.dry_run) {
    files::AtomicFile note(seen);
    note.commit_soon();
  }
  return true;
}

Decision left_unmeasured(const Obstacle& obstacle) {
  Decision decision;
  decision.reason = words_of(obstacle);
  return decision;
}

// True if no run of a job of one node could show a gain: its cores share one die, and neither
// clocks nor teams are to be chosen.
bool gains_nothing_on_node(const PlanRequest& request) {
  if (!request.keeps_nodes || request.nodes != 1U || request.frequencies || request.packs_threads ||
      request.machine.empty())
    return false;
  const Machine machine = load_machine(request.machine);
  const commgraph::NodeTopology node =
      commgraph::load_topology(machine.topology, request.machine.string());
  return node.packages * node.dies_per_package == 1;
}

}  // namespace

bool may_ask_for_second(const PlanRequest& request) {
  return request.profiles.empty() && request.samples > 1 && request.grouping == Grouping::kMapped &&
         (request.explore == Explore::kNo || !request.model.empty());
}

fs::path measuring_claim(const store::Store& store, const PlanRequest& request) {
  return store.folder(key_of(request)) / (name_of_question(request) + std::string(kClaimEnd));
}

Decision measure_or_leave(const store::Store& store, const PlanRequest& request,
                          const std::string& passed_over, const JobStates& state_of) {
  if (gains_nothing_on_node(request)) return left_unmeasured({.kind = Obstacle::Kind::kOneDie});
  const fs::path folder = store.folder(key_of(request));
  const VainRuns runs = vain_runs(folder, request, state_of);
  if (runs.jobs.size() >= kTries) return left_unmeasured(in_vain(runs, request.ranks, passed_over));
  if (runs.jobs.empty() && is_to_come_again(folder, request))
    return left_unmeasured({.kind = Obstacle::Kind::kOtherScripts});
  Decision decision;
  decision.action = Decision::Action::kMeasure;
  decision.claim = measuring_claim(store, request).string();
  decision.reason =
      passed_over.empty()
          ? fmt::format("this run is measured{}: there is no profile of \"{}\" with {} ranks yet",
                        may_ask_for_second(request) ? ", 1 of at most 2" : "",
                        shortened(request.label), request.ranks)
          : fmt::format("this run is measured again: {}", passed_over);
  return decision;
}

}  // namespace huddle::planning
