#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"

namespace huddle::forecast {

/// Measured values by configuration, none twice, ordered by their factors.
struct LawSamples {
  std::vector<Factors> where;
  /// Natural logarithms of `where`.
  std::vector<Factors> logs;
  /// Natural logarithm of the median of what was measured at each.
  std::vector<double> values;
  /// Distance of each single measurement's logarithm above `values`.
  std::vector<std::vector<double>> deviations;
  /// The different values of each factor, ascending.
  std::array<std::vector<double>, kFactors> levels;

  [[nodiscard]] std::size_t size() const { return where.size(); }
  /// 0 .. size() - 1.
  [[nodiscard]] std::vector<std::size_t> indices() const;
  /// Where the sample's value stands among the levels of that factor.
  [[nodiscard]] std::size_t level_of(std::size_t sample, std::size_t factor) const;
  /// The same of some of the configurations, in the order given.
  [[nodiscard]] LawSamples part(std::span<const std::size_t> indices) const;
};

/// Gathers measurements. Throws Error if there are none, or if a number is not finite and above 0.
LawSamples gather_samples(std::span<const Configuration> where, std::span<const double> values);

/// At most `most` of the configurations, spread evenly, always the same ones.
LawSamples thinned(const LawSamples& samples, std::size_t most);

/// The different values of each factor, ascending.
std::array<std::vector<double>, kFactors> levels_of(std::span<const Factors> where);

/// The median; the mean of the two in the middle of an even number. Precondition: not empty.
double median_of(std::vector<double> values);

/// At most `most` of `rows`, evenly spread, in their order; the first is always among them.
template <class Row>
std::vector<Row> spread_evenly(const std::vector<Row>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<Row> some;
  some.reserve(most);
  for (std::size_t i = 0; i < most; ++i) some.push_back(rows[i * rows.size() / most]);
  return some;
}

}  // namespace huddle::forecast
