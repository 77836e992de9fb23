#include "aggregator/forecast/sizes/sized_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "aggregator/predict/computation/moved_runs.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Nodes by the order in which ranks name them: the next job has others.
std::string layout_of(const Profile& profile) {
  std::map<std::string_view, std::size_t> nodes;
  std::string layout;
  for (const RankRecord& record : profile.rank_records) {
    const std::size_t node = nodes.emplace(record.node, nodes.size()).first->second;
    layout += fmt::format("{}:{};", node, record.pus.list());
  }
  return layout;
}

// What holds of the run but for its moves, with the computation that it would have had without.
Profile unmoved(const Profile& profile, const Profile& computation) {
  Profile run = profile;
  for (std::size_t i = 0; i < run.rank_records.size(); ++i) {
    RankRecord& record = run.rank_records[i];
    record.phases = computation.rank_records[i].phases;
    record.run_time = computation.rank_records[i].computation_time() + record.mpi_time;
    record.moved.clear();
    record.between_moves.clear();
  }
  return run;
}

}  // namespace

bool same_program(const Profile& a, const Profile& b) {
  if (!a.build_id.empty() && !b.build_id.empty()) return a.build_id == b.build_id;
  return a.executable == b.executable;
}

std::vector<double> RunsOfLayout::different_sizes() const {
  std::vector<double> different = sizes;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  return different;
}

void check_one_program(const std::vector<SizedRun>& runs) {
  if (runs.empty()) throw Error("a forecast needs at least one profile");
  const Profile& first = runs[0].profile;
  for (const SizedRun& run : runs) {
    const Profile& profile = run.profile;
    if (!profile.complete)
      throw Error(fmt::format("{} was cut short ({}): measure a whole run", run.file,
                              shortened(profile.cut_short_reason)));
    if (profile.run_time() <= Seconds{0})
      throw Error(fmt::format("{} has no run time in it: measure the program with huddle record",
                              run.file));
    if (profile.ranks != first.ranks)
      throw Error(
          fmt::format("{} is of {} ranks and {} of {}: a size is predicted from runs of one "
                      "number of ranks",
                      run.file, profile.ranks, runs[0].file, first.ranks));
    if (!same_program(profile, first))
      throw Error(fmt::format(
          "{} is of another program ({}) than {} ({}): a size is predicted from "
          "runs of one program",
          run.file, shortened(profile.executable), runs[0].file, shortened(first.executable)));
  }
}

std::vector<SizedRun> told_apart_by_placement(std::vector<SizedRun> runs,
                                              const NodeTopology& node) {
  std::vector<SizedRun> told_apart;
  for (SizedRun& run : runs) {
    if (!was_moved(run.profile)) {
      told_apart.push_back(std::move(run));
      continue;
    }
    RunsByPlacement found = runs_by_placement(run.profile, node);
    told_apart.push_back({unmoved(run.profile, found.runs.at(0)), run.size, run.file});
    for (std::size_t i = 1; i < found.runs.size(); ++i)
      told_apart.push_back({std::move(found.runs[i]), run.size, run.file});
  }
  return told_apart;
}

std::vector<RunsOfLayout> by_layout(const std::vector<SizedRun>& runs) {
  std::vector<const SizedRun*> ascending;
  for (const SizedRun& run : runs) ascending.push_back(&run);
  std::stable_sort(ascending.begin(), ascending.end(),
                   [](const SizedRun* a, const SizedRun* b) { return a->size < b->size; });
  std::map<std::string, std::size_t> index;
  for (const SizedRun& run : runs) index.emplace(layout_of(run.profile), index.size());
  std::vector<RunsOfLayout> layouts(index.size());
  for (const SizedRun* run : ascending) {
    RunsOfLayout& layout = layouts[index.at(layout_of(run->profile))];
    layout.profiles.push_back(&run->profile);
    layout.sizes.push_back(run->size);
  }
  return layouts;
}

}  // namespace huddle
