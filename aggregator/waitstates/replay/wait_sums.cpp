#include "aggregator/waitstates/replay/wait_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle::waitstates {
namespace {

void check(const WaitReport& report, std::uint32_t call_path, std::uint32_t location) {
  if (call_path < report.call_paths.size() && location < report.locations.size()) return;
  throw Error("the report of " + shortened(report.trace) +
              " has an entry of a call path or a location that it does not have");
}

void add_times(ReportSums& sums, const WaitReport& report, const std::vector<bool>& in_mpi) {
  const std::vector<bool> of_files = paths_of_files(report);
  for (const PathTime& time : report.times) {
    check(report, time.call_path, time.location);
    sums.exclusive[time.call_path].visits += time.visits;
    sums.exclusive[time.call_path].ticks += time.ticks;
    if (!in_mpi[time.call_path]) continue;
    sums.locations[time.location].mpi += time.ticks;
    sums.mpi += time.ticks;
    if (of_files[time.call_path]) sums.file_access += time.ticks;
  }
}

void add_waits(ReportSums& sums, const WaitReport& report) {
  for (const PathWaits& waits : report.waits) {
    check(report, waits.call_path, waits.location);
    const auto pattern = static_cast<std::size_t>(waits.pattern);
    sums.patterns.at(pattern).add(waits);
    sums.waits.add(waits);
    PathTotals& path = sums.exclusive[waits.call_path];
    path.waits.add(waits);
    path.by_pattern[pattern] += waits.ticks;
    LocationTotals& location = sums.locations[waits.location];
    location.waits.add(waits);
    location.by_pattern[pattern] += waits.ticks;
    location.counts[pattern] += waits.count;
  }
}

void add_locations(ReportSums& sums, const WaitReport& report) {
  std::set<std::uint32_t> ranks;
  std::set<std::string_view> nodes;
  for (std::size_t i = 0; i < report.locations.size(); ++i) {
    const ReportLocation& location = report.locations[i];
    sums.locations[i].ticks = location.end - std::min(location.begin, location.end);
    sums.ticks += sums.locations[i].ticks;
    ranks.insert(location.rank);
    if (!location.node.empty()) nodes.insert(location.node);
  }
  sums.ranks = static_cast<std::uint32_t>(ranks.size());
  sums.nodes = static_cast<std::uint32_t>(nodes.size());
}

}  // namespace

void WaitSums::add(const PathWaits& waits) {
  add(WaitSums{waits.count, waits.ticks, waits.longest, waits.energy});
}

void WaitSums::add(const WaitSums& waits) {
  count += waits.count;
  ticks += waits.ticks;
  longest = std::max(longest, waits.longest);
  energy.add(waits.energy);
}

void PathTotals::add(const PathTotals& path) {
  visits += path.visits;
  ticks += path.ticks;
  waits.add(path.waits);
  for (std::size_t i = 0; i < kWaitPatterns; ++i) by_pattern[i] += path.by_pattern[i];
}

std::vector<bool> paths_in_mpi(const WaitReport& report) {
  std::vector<bool> in_mpi(report.call_paths.size());
  for (std::size_t i = 0; i < in_mpi.size(); ++i) {
    const CallPath& path = report.call_paths[i];
    in_mpi[i] = path.mpi || (path.parent < i && in_mpi[path.parent]);
  }
  return in_mpi;
}

std::vector<bool> paths_of_files(const WaitReport& report) {
  std::vector<bool> of_files(report.call_paths.size());
  for (std::size_t i = 0; i < of_files.size(); ++i) {
    const CallPath& path = report.call_paths[i];
    const bool own =
        path.mpi && (path.region.starts_with("MPI_File_") || path.region.starts_with("PMPI_File_"));
    of_files[i] = own || (path.parent < i && of_files[path.parent]);
  }
  return of_files;
}

ReportSums sums_of(const WaitReport& report) {
  ReportSums sums;
  sums.exclusive.resize(report.call_paths.size());
  sums.locations.resize(report.locations.size());
  for (WaitSums& pattern : sums.patterns) {
    pattern.energy.winners.resize(report.power.states.size());
    pattern.energy.busy_winners.resize(report.power.states.size());
  }
  add_locations(sums, report);
  add_times(sums, report, paths_in_mpi(report));
  add_waits(sums, report);
  sums.inclusive = sums.exclusive;
  for (std::size_t i = report.call_paths.size(); i-- > 0;)
    if (const std::uint32_t parent = report.call_paths[i].parent; parent < i)
      sums.inclusive[parent].add(sums.inclusive[i]);
  return sums;
}

std::size_t foremost(const std::array<std::uint64_t, kWaitPatterns>& ticks) {
  const auto most = std::max_element(ticks.begin(), ticks.end());
  return *most == 0 ? kWaitPatterns : static_cast<std::size_t>(most - ticks.begin());
}

}  // namespace huddle::waitstates
