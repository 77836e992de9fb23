#include "aggregator/waitstates/comparison/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "aggregator/waitstates/replay/wait_sums.hpp"

namespace huddle::waitstates {
namespace {

double joules_of_waiting(const WaitSums& waits) {
  return static_cast<double>(waits.energy.spent_nj) / 1e9;
}

void compare_paths(RunComparison& comparison, const ComparedTrace& before,
                   const ComparedTrace& after) {
  using Sums = ComparedTrace::Sums;
  std::map<ComparedTrace::Path, std::pair<Sums, Sums>> paths;
  for (const auto& [path, sums] : before.paths) paths[path].first = sums;
  for (const auto& [path, sums] : after.paths) paths[path].second = sums;
  for (const auto& [path, sums] : paths) {
    const auto& [left, right] = sums;
    comparison.paths.push_back({path,
                                {left.time, right.time},
                                {left.waiting, right.waiting},
                                {left.energy, right.energy},
                                {left.visits, right.visits}});
  }
  std::stable_sort(
      comparison.paths.begin(), comparison.paths.end(), [](const auto& a, const auto& b) {
        const auto most = [](const auto& entry) {
          return std::pair(std::abs(entry.time.difference()), std::abs(entry.waiting.difference()));
        };
        return most(a) > most(b);
      });
}

}  // namespace

ComparedTrace compared_trace(const WaitReport& report) {
  const ReportSums sums = sums_of(report);
  const auto seconds = [&](std::uint64_t ticks) {
    return static_cast<double>(ticks) / static_cast<double>(report.ticks_per_second);
  };
  ComparedTrace run;
  run.trace = report.trace;
  run.ranks = sums.ranks;
  run.run_time = seconds(report.end - report.begin);
  run.time = seconds(sums.ticks);
  run.mpi = seconds(sums.mpi);
  run.waiting = seconds(sums.waits.ticks);
  run.energy = joules_of_waiting(sums.waits);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    run.by_pattern[i] = seconds(sums.patterns[i].ticks);
  std::vector<std::vector<std::string>> regions;
  for (std::uint32_t i = 0; i < report.call_paths.size(); ++i) {
    const CallPath& path = report.call_paths[i];
    regions.push_back(path.parent < i ? regions[path.parent] : std::vector<std::string>{});
    regions[i].push_back(path.region);
    ComparedTrace::Sums& entry = run.paths[{regions[i], path.mpi}];
    entry.time += seconds(sums.exclusive[i].ticks);
    entry.waiting += seconds(sums.exclusive[i].waits.ticks);
    entry.energy += joules_of_waiting(sums.exclusive[i].waits);
    entry.visits += static_cast<double>(sums.exclusive[i].visits);
  }
  return run;
}

RunComparison comparison_of(const ComparedTrace& before, const ComparedTrace& after) {
  RunComparison comparison;
  const auto change = [&](double ComparedTrace::*value) {
    return RunChange{before.*value, after.*value};
  };
  comparison.before = {before.trace, before.ranks};
  comparison.after = {after.trace, after.ranks};
  comparison.run_time = change(&ComparedTrace::run_time);
  comparison.time = change(&ComparedTrace::time);
  comparison.mpi = change(&ComparedTrace::mpi);
  comparison.waiting = change(&ComparedTrace::waiting);
  comparison.energy = change(&ComparedTrace::energy);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    comparison.by_pattern[i] = {before.by_pattern[i], after.by_pattern[i]};
  compare_paths(comparison, before, after);
  return comparison;
}

}  // namespace huddle::waitstates
