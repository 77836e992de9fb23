#pragma once

#include <array>
#include <vector>

#include "aggregator/forecast/laws/factors.hpp"
#include "aggregator/forecast/laws/left_out_errors.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

/// Where a value of a factor lies among those that were measured.
enum class Lies : unsigned char { on, between, above, below };

/// Equal values may differ by rounding. Precondition: `levels` ascend, and there is one.
Lies where_lies(const std::vector<double>& levels, double value);

/// That all rows have `known` for the factor, so that nothing tells what `asked` does.
Error unknown_dependence(std::size_t factor, double known, double asked);

/// How wide an interval is by where a configuration lies, as left-out errors tell.
class IntervalWidths {
 public:
  using Levels = std::array<std::vector<double>, kFactors>;

  IntervalWidths() = default;
  /// `levels`: the measured values of each factor. `fitted`: errors at what was fitted to; empty
  /// for a model that passes through its samples.
  IntervalWidths(Levels levels, const ErrorsByFactor& left_out, const LeftOutErrors& fitted);

  [[nodiscard]] const Levels& levels() const { return levels_; }
  /// By how much the logarithm may be more or less, 9 times in 10.
  [[nodiscard]] double half_width(const Factors& where) const;
  /// The same of a further measurement where there are some already.
  [[nodiscard]] double measured_width() const { return fitted_; }

 private:
  [[nodiscard]] double width_between_levels(std::size_t factor, double value) const;

  Levels levels_;
  double fitted_ = 0;
  /// By factor that was left out; NaN if none was.
  std::array<double, kFactors + 1> between_{};
  /// What each unit of distance beyond adds.
  std::array<double, kFactors> above_{};
  std::array<double, kFactors> below_{};
};

}  // namespace huddle
