#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/fitted_law.hpp"

namespace huddle {

/// How sure a law is of its numbers: it is fitted again without each value of a factor, and what
/// these laws say is spread as it would be with other measurements (B. Efron, The Jackknife, the
/// Bootstrap and Other Resampling Plans, 1982; values of a factor are left out as a whole, since
/// errors at one value are alike). Immutable; thread-safe.
class Jackknife {
 public:
  Jackknife() = default;
  /// Of `form` on all of `samples`, by each factor with three values or more. Many values are left
  /// out several at a time.
  Jackknife(const LawForm& form, const LawSamples& samples);

  /// Standard deviation of the law's logarithm at `where`, that of the factor for which it is
  /// largest, more where few values could be left out. NaN if no factor has three values.
  [[nodiscard]] double deviation_at(const Factors& where) const;

 private:
  /// By factor that has enough values: the laws without each.
  std::vector<std::vector<FittedLaw>> without_;
};

}  // namespace huddle
