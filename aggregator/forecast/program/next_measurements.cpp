#include "aggregator/forecast/program/next_measurements.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "aggregator/forecast/laws/interval_widths.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle::forecast {
namespace {

// Sizes from here on are whole numbers in practice.
constexpr double kWholeSizes = 100;
// All together, where as many configurations or fewer are asked for.
constexpr std::size_t kMostRuns = 3;

// The value halfway from the edge of the measured ones, whole where the factor counts.
double halfway(std::size_t factor, double edge, double asked) {
  const double middle = std::sqrt(edge * asked);
  const bool counts = factor == kSize ? std::min(edge, asked) >= kWholeSizes : factor != kFrequency;
  const double value = counts ? std::round(middle) : middle;
  return value == edge ? asked : value;
}

// The values of a factor to measure at so that more is known at `asked`.
std::vector<double> values_towards(std::size_t factor, const std::vector<double>& levels,
                                   double asked) {
  switch (where_lies(levels, asked)) {
    case Lies::above:
      return {halfway(factor, levels.back(), asked)};
    case Lies::below:
      return {halfway(factor, levels.front(), asked)};
    case Lies::on:
      return {asked};
    case Lies::between:
      break;
  }
  const auto above = std::lower_bound(levels.begin(), levels.end(), asked);
  return {*(above - 1), *above};
}

std::vector<Configuration> candidates_for(const Levels& levels, const Configuration& asked) {
  const Factors at = factors_of(asked);
  std::vector<Factors> all = {at};
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    std::vector<Factors> more;
    for (const Factors& one : all)
      for (const double value : values_towards(factor, levels[factor], at[factor])) {
        more.push_back(one);
        more.back()[factor] = value;
      }
    all = std::move(more);
  }
  std::vector<Configuration> candidates;
  for (const Factors& one : all)
    if (one != at && one[kNodes] <= one[kProcesses]) candidates.push_back(configuration_of(one));
  return candidates;
}

double width_of(const ForecastAt& forecast) {
  const Estimate& estimate = forecast.time_s ? *forecast.time_s : *forecast.energy_j;
  return estimate.high / estimate.low;
}

}  // namespace

std::vector<ForecastAt> next_measurements(const ProgramForecast& program,
                                          const std::vector<Configuration>& asked) {
  const std::vector<Configuration>& measured = program.measured();
  std::vector<Factors> places;
  for (const Configuration& where : measured) places.push_back(factors_of(where));
  const Levels levels = levels_of(places);
  std::vector<ForecastAt> next;
  const auto is_known = [&](const Configuration& where) {
    return std::ranges::find(measured, where) != measured.end() ||
           std::ranges::find(next, where, &ForecastAt::where) != next.end();
  };
  std::vector<std::vector<ForecastAt>> candidates;  // by what is asked; the widest first
  for (const Configuration& where : asked) {
    candidates.emplace_back();
    if (is_known(where)) continue;
    for (const Configuration& candidate : candidates_for(levels, where))
      if (!is_known(candidate)) candidates.back().push_back(program.at(candidate));
    std::ranges::stable_sort(candidates.back(), std::ranges::greater{}, width_of);
  }
  for (std::size_t round = 0; round < kMostRuns; ++round)
    for (std::vector<ForecastAt>& of_one : candidates) {
      if (round > 0 && next.size() >= kMostRuns) return next;
      std::erase_if(of_one, [&](const ForecastAt& run) { return is_known(run.where); });
      if (of_one.empty()) continue;
      next.push_back(std::move(of_one.front()));
      of_one.erase(of_one.begin());
    }
  return next;
}

}  // namespace huddle::forecast
