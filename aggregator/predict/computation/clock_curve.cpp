#include "aggregator/predict/computation/clock_curve.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace huddle::predict {
namespace {

constexpr double kNoise = 0.015;  // of a median of counted clocks

// Returns the busy cores of a package: ranks on one core keep one busy.
std::uint32_t busy_cores(const Sharing& sharing) {
  return sharing.package / sharing.core;
}

// Returns the clocks by the number of busy cores in a package; empty if no cycles were counted.
std::map<std::uint32_t, double> clocks_of(const PhaseGroupSamples& group) {
  std::map<std::uint32_t, std::pair<double, double>> sums;
  for (const PhaseSample& sample : group.samples) {
    if (!sample.clock) continue;
    auto& [sum, count] = sums[busy_cores(sharing_of(sample.pattern))];
    sum += *sample.clock;
    ++count;
  }
  std::map<std::uint32_t, double> clocks;
  for (const auto& [ranks, sum] : sums) clocks[ranks] = sum.first / sum.second;
  return clocks;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

ClockCurve::ClockCurve(const std::vector<ProgramSamples>& programs) {
  std::vector<std::map<std::uint32_t, double>> groups;
  for (const ProgramSamples& program : programs)
    for (const PhaseGroupSamples& group : program.groups)
      if (auto clocks = clocks_of(group); clocks.size() > 1) groups.push_back(std::move(clocks));
  if (groups.empty()) return;
  known_ = true;
  std::uint32_t fewest = groups.front().begin()->first;
  for (const auto& clocks : groups) fewest = std::min(fewest, clocks.begin()->first);
  std::map<std::uint32_t, std::vector<double>> slowdowns;
  for (const auto& clocks : groups)
    if (clocks.begin()->first == fewest)
      for (const auto& [ranks, clock] : clocks)
        slowdowns[ranks].push_back(clocks.begin()->second / clock);
  double most = 1;
  for (auto& [ranks, of_groups] : slowdowns) {
    most = std::max(most, median(std::move(of_groups)));
    points_.emplace_back(ranks, most);
  }
  if (most < 1 + kNoise) points_.clear();
}

ClockCurve ClockCurve::falling(double loss) {
  constexpr double kFar = 1024;
  ClockCurve curve;
  curve.points_ = {{1, 1}, {kFar, 1 + loss * (kFar - 1)}};
  return curve;
}

double ClockCurve::slowdown(const Sharing& sharing) const {
  const double ranks = busy_cores(sharing);
  const auto above = std::find_if(points_.begin(), points_.end(),
                                  [&](const auto& point) { return point.first >= ranks; });
  if (above == points_.end()) return points_.empty() ? 1 : points_.back().second;
  if (above == points_.begin()) return above->second;
  const auto& [lower_ranks, lower] = *(above - 1);
  return lower + (above->second - lower) * (ranks - lower_ranks) / (above->first - lower_ranks);
}

double ClockCurve::slowdown(const Sharing& sharing, double core_slowdown) const {
  const double busy = slowdown(sharing);
  return busy > 1 ? std::max(busy, core_slowdown) : core_slowdown;
}

}  // namespace huddle::predict
