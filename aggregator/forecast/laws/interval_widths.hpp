#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/laws/fitted_law.hpp"
#include "aggregator/forecast/laws/law_choice.hpp"
#include "aggregator/forecast/laws/left_out.hpp"

namespace huddle::forecast {

/// Where a value of a factor lies among those that were measured.
enum class Lies : unsigned char { on, between, above, below };

/// Equal values may differ by rounding. Precondition: `levels` ascend, and there is one.
Lies where_lies(const std::vector<double>& levels, double value);

/// The measured values of each factor, ascending.
using Levels = std::array<std::vector<double>, kFactors>;

/// Throws Error if a factor that was measured with one value only has another at `where`: nothing
/// is known of its effect.
void check_known(const Levels& levels, const Factors& where);

/// Width of a prediction's interval, by where it lies and by errors at what was left out.
class IntervalWidths {
 public:
  IntervalWidths() = default;
  /// `levels`: the measured values of each factor. `fitted`: errors at what was fitted to; empty
  /// for a model that passes through its samples.
  IntervalWidths(Levels levels, const ErrorsByFactor& left_out, const LeftOutErrors& fitted);

  /// Distance that the logarithm may be off by, 9 times in 10.
  [[nodiscard]] double half_width(const Factors& where) const;
  /// The same of a further measurement where there are some already.
  [[nodiscard]] double measured_width() const { return fitted_; }

 private:
  [[nodiscard]] double width_between_levels(std::size_t factor, double value) const;

  Levels levels_;
  double fitted_ = 0;
  /// Indexed by factor that was left out; NaN if none was.
  std::array<double, kFactors + 1> between_{};
  /// Width that each unit of distance beyond adds.
  std::array<double, kFactors> above_{};
  std::array<double, kFactors> below_{};
};

/// Uncertainty of a law's numbers: it is fitted again without each value of a factor, and what
/// these laws say is spread as it would be with other measurements (B. Efron, The Jackknife, the
/// Bootstrap and Other Resampling Plans, 1982; values of a factor are left out as a whole, since
/// errors at one value are alike). Immutable; thread-safe.
class Jackknife {
 public:
  Jackknife() = default;
  /// Fits `form` to all of `samples`, by each factor with three values or more. Many values are
  /// left out several at a time.
  Jackknife(const LawForm& form, const LawSamples& samples);

  /// Standard deviation of the law's logarithm at `where`, that of the factor for which it is
  /// largest, more where few values could be left out. NaN if no factor has three values.
  [[nodiscard]] double deviation_at(const Factors& where) const;

 private:
  /// Indexed by factor that has enough values: the laws without each.
  std::vector<std::vector<FittedLaw>> without_;
};

/// Distance that the true value may be from a law's prediction beyond what was measured: its
/// numbers are uncertain, and another form may be the right one. Immutable; thread-safe.
class ModelDoubt {
 public:
  ModelDoubt() = default;
  /// Fits the chosen form's rivals to `samples`, and the chosen one without each value.
  ModelDoubt(const LawSamples& samples, const LawChoice& choice);

  /// Distance that the logarithm of one more measurement may be off the chosen law's, 9
  /// times in 10, if a measurement is by `noise` off a law that is known. Each rival may be the
  /// right law, as likely as its weight, with the same uncertainty of its numbers. NaN if that is
  /// unknown: where a factor has fewer than three values, or none could be left out.
  [[nodiscard]] double half_width(const Factors& where, double noise) const;

 private:
  struct Rival {
    FittedLaw law;
    double weight = 0;
  };
  [[nodiscard]] bool tells_at(const Factors& where) const;

  std::array<std::vector<double>, kFactors> levels_;
  /// The chosen form's law first.
  std::vector<Rival> rivals_;
  Jackknife jackknife_;
};

}  // namespace huddle::forecast
