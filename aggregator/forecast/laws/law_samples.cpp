#include "aggregator/forecast/laws/law_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>

#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

bool usable(double number) {
  return std::isfinite(number) && number > 0;
}

void check(std::span<const Configuration> where, std::span<const double> values) {
  if (values.empty())
    throw Error("there is no measured row to learn from: give rows of two problem sizes at least");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!usable(values[i]))
      throw Error("a scaling law needs values above 0, and row " + std::to_string(i + 1) + " has " +
                  std::to_string(values[i]) + ": leave out such rows");
    const Factors factors = factors_of(where[i]);
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      if (!usable(factors[factor]))
        throw Error("a scaling law needs a " + std::string(factor_name(factor)) +
                    " above 0, and row " + std::to_string(i + 1) + " has " +
                    std::to_string(factors[factor]) + ": leave out such rows");
  }
}

// Changes with every bit of `number`: neighbours in a grid are not neighbours in this order.
std::uint64_t scattered(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

void add_configuration(LawSamples& samples, const Factors& where, std::vector<double> logs) {
  const double middle = median_of(logs);
  for (double& value : logs) value -= middle;
  samples.where.push_back(where);
  samples.logs.push_back(logs_of(where));
  samples.values.push_back(middle);
  samples.deviations.push_back(std::move(logs));
}

}  // namespace

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

LawSamples LawSamples::part(std::span<const std::size_t> indices) const {
  LawSamples some;
  for (const std::size_t index : indices) {
    some.where.push_back(where[index]);
    some.logs.push_back(logs[index]);
    some.values.push_back(values[index]);
    some.deviations.push_back(deviations[index]);
  }
  some.levels = levels_of(some.where);
  return some;
}

std::vector<std::size_t> LawSamples::indices() const {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::size_t LawSamples::level_of(std::size_t sample, std::size_t factor) const {
  const auto found =
      std::lower_bound(levels[factor].begin(), levels[factor].end(), where[sample][factor]);
  return static_cast<std::size_t>(found - levels[factor].begin());
}

std::array<std::vector<double>, kFactors> levels_of(std::span<const Factors> where) {
  std::array<std::vector<double>, kFactors> levels;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    std::set<double> different;
    for (const Factors& one : where) different.insert(one[factor]);
    levels[factor].assign(different.begin(), different.end());
  }
  return levels;
}

LawSamples gather_samples(std::span<const Configuration> where, std::span<const double> values) {
  check(where, values);
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Factors> factors;
  factors.reserve(values.size());
  for (const Configuration& configuration : where) factors.push_back(factors_of(configuration));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return factors[a] < factors[b]; });
  LawSamples samples;
  std::vector<double> logs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    logs.push_back(std::log(values[order[i]]));
    const bool last = i + 1 == order.size() || factors[order[i + 1]] != factors[order[i]];
    if (!last) continue;
    add_configuration(samples, factors[order[i]], std::move(logs));
    logs = {};
  }
  samples.levels = levels_of(samples.where);
  return samples;
}

LawSamples thinned(const LawSamples& samples, std::size_t most) {
  if (samples.size() <= most) return samples;
  std::vector<std::size_t> order = samples.indices();
  std::sort(order.begin(), order.end(),
            [](std::size_t a, std::size_t b) { return scattered(a) < scattered(b); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  return samples.part(order);
}

}  // namespace huddle::forecast
