#include "aggregator/waitstates/comparison/run_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "aggregator/waitstates/replay/wait_sums.hpp"

namespace huddle {
namespace {

double joules_of_waiting(const WaitSums& waits) {
  return static_cast<double>(waits.energy.spent_nj) / 1e9;
}

template <class ValueOf>
RunChange change_of_runs(const std::vector<ComparedTrace>& before,
                         const std::vector<ComparedTrace>& after, ValueOf value_of) {
  std::vector<double> left;
  std::vector<double> right;
  for (const ComparedTrace& run : before) left.push_back(value_of(run));
  for (const ComparedTrace& run : after) right.push_back(value_of(run));
  return change_of(left, right);
}

RunChange change_of_path(const std::vector<ComparedTrace>& before,
                         const std::vector<ComparedTrace>& after, const ComparedTrace::Path& path,
                         double ComparedTrace::Sums::*value) {
  return change_of_runs(before, after, [&](const ComparedTrace& run) {
    const auto known = run.paths.find(path);
    return known == run.paths.end() ? 0 : known->second.*value;
  });
}

RunComparison::Side side_of(const std::vector<ComparedTrace>& runs) {
  RunComparison::Side side;
  for (const ComparedTrace& run : runs) {
    side.traces.push_back(run.trace);
    side.ranks.push_back(run.ranks);
  }
  return side;
}

void compare_paths(RunComparison& comparison, const std::vector<ComparedTrace>& before,
                   const std::vector<ComparedTrace>& after) {
  std::set<ComparedTrace::Path> paths;
  for (const auto* side : {&before, &after})
    for (const ComparedTrace& run : *side)
      for (const auto& [path, sums] : run.paths) paths.insert(path);
  for (const ComparedTrace::Path& path : paths)
    comparison.paths.push_back({path,
                                change_of_path(before, after, path, &ComparedTrace::Sums::time),
                                change_of_path(before, after, path, &ComparedTrace::Sums::waiting),
                                change_of_path(before, after, path, &ComparedTrace::Sums::energy),
                                change_of_path(before, after, path, &ComparedTrace::Sums::visits)});
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

RunComparison comparison_of(const std::vector<ComparedTrace>& before,
                            const std::vector<ComparedTrace>& after) {
  RunComparison comparison;
  const auto change = [&](double ComparedTrace::*value) {
    return change_of_runs(before, after, [&](const ComparedTrace& run) { return run.*value; });
  };
  comparison.before = side_of(before);
  comparison.after = side_of(after);
  comparison.run_time = change(&ComparedTrace::run_time);
  comparison.time = change(&ComparedTrace::time);
  comparison.mpi = change(&ComparedTrace::mpi);
  comparison.waiting = change(&ComparedTrace::waiting);
  comparison.energy = change(&ComparedTrace::energy);
  for (std::size_t i = 0; i < kWaitPatterns; ++i)
    comparison.by_pattern[i] =
        change_of_runs(before, after, [i](const ComparedTrace& run) { return run.by_pattern[i]; });
  compare_paths(comparison, before, after);
  return comparison;
}

}  // namespace huddle
