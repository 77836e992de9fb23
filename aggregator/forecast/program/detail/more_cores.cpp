#include "aggregator/forecast/program/detail/more_cores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiles/vocabulary/figures.hpp"

namespace huddle::forecast {
namespace {

// Of time: a law that has rows of one socket only sees its memory used up; another one has as much
// again, and so time may fall the more, the less the law lets it.
constexpr double kFasterTime = 2;
constexpr double kFasterPower = 1.5;
// Nor need more threads help at all, where they share cores with others.
constexpr double kSlowerTime = 0.9;
constexpr double kStepOfTime = 0.03;
// Of energy: as for time, but what is faster draws more; and where it falls, as idle power is
// shared by more, a socket's idle power may come in one step, which does not depend on how far.
constexpr double kLessEnergy = 0.8;
constexpr double kStepOfEnergy = 0.03;
constexpr double kStepOfFallingEnergy = 0.85;

// No program and no meter repeats better; further from what was measured no law is as sure.
constexpr double kLeastHalf = 0.005;
constexpr double kLeastGrowth = 0.02;
// A factor of 100: nothing is predicted long before.
constexpr double kMostHalf = 4.6;

// Quotient over the largest measured value; 1 if it is not above that.
double times_above(const Levels& levels, const Factors& where, std::size_t factor) {
  return std::max(where[factor] / levels[factor].back(), 1.0);
}

std::vector<double> ends_of(const std::vector<double>& values) {
  std::vector<double> ends = {values.front()};
  if (values.size() > 1) ends.push_back(values.back());
  return ends;
}

}  // namespace

Reach reach_of_more_cores(const Levels& levels, const Factors& where,
                          const std::array<bool, kFactors>& with_size, ForecastTarget target,
                          const std::function<double(const Factors&)>& log_at) {
  const auto times = [&](std::size_t factor) {
    const double more = times_above(levels, where, factor);
    return with_size[factor] ? std::max(more / times_above(levels, where, kSize), 1.0) : more;
  };
  const double distance =
      std::log(std::max(times(kProcesses) * times(kThreads), times(kNodes) * times(kPackages)));
  if (distance < 1e-9) return {};
  Factors edge = where;
  for (const std::size_t factor : {kProcesses, kThreads, kNodes, kPackages})
    edge[factor] = std::min(where[factor], levels[factor].back());
  const double power = (log_at(where) - log_at(edge)) / distance;
  const double falls = std::max(-power, 0.0);
  const double short_of_ideal = std::pow(std::max(1 + power, 0.0), kFasterPower) * distance;
  if (target == ForecastTarget::time)
    return {kFasterTime * short_of_ideal, kStepOfTime + kSlowerTime * falls * distance};
  return {kLessEnergy * short_of_ideal, kStepOfEnergy + kStepOfFallingEnergy * falls};
}

Reach bounded(Reach reach, const Levels& levels, const Factors& where) {
  double distance = 0;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    distance += std::max({std::log(where[factor] / levels[factor].back()),
                          std::log(levels[factor].front() / where[factor]), 0.0});
  const auto bound = [&](double half) {
    const double least = kLeastHalf + kLeastGrowth * distance;
    return std::isfinite(half) ? std::clamp(half, least, std::max(least, kMostHalf)) : kMostHalf;
  };
  return {bound(reach.below), bound(reach.above)};
}

std::string why_not_told(const Estimate& estimate, const Levels& levels, const Factors& where,
                         bool apart) {
  if (is_useful_interval(estimate.low, estimate.high)) return {};
  std::vector<std::string> reasons;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& values = levels[factor];
    const Lies lies = where_lies(values, where[factor]);
    if (lies != Lies::above && lies != Lies::below) continue;
    reasons.push_back(fmt::format(
        "{} {:.10g} is far from the {} measured, {:.10g}", factor_name(factor), where[factor],
        values.size() == 1 ? "only one" : fmt::format("{}", values.size()),
        fmt::join(ends_of(values), " to ")));
  }
  if (apart) reasons.emplace_back("no run went as far in two factors at once");
  if (reasons.empty())
    reasons.emplace_back(
        "like configurations differ as much as that: what differed between them "
        "has no column (such as nodes), or too little was measured");
  return fmt::format("can't be predicted from these rows, because {}", fmt::join(reasons, " and "));
}

}  // namespace huddle::forecast
