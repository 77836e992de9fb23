#pragma once

#include <array>
#include <vector>

#include "aggregator/forecast/laws/jackknife.hpp"
#include "aggregator/forecast/laws/law_choice.hpp"

namespace huddle {

/// How far the true value may be from what a law predicts beyond what was measured: its numbers
/// are uncertain, and another form may be the right one. Immutable; thread-safe.
class ModelDoubt {
 public:
  ModelDoubt() = default;
  /// Fits the chosen form's rivals to `samples`, and the chosen one without each value.
  ModelDoubt(const LawSamples& samples, const LawChoice& choice);

  /// By how much the logarithm of one more measurement may be more or less than the chosen law's, 9
  /// times in 10, if a measurement is by `noise` off a law that is known. Each rival may be the
  /// right law, as likely as its weight, with the same uncertainty of its numbers. NaN if nothing
  /// tells: a factor of fewer than three values, or none, could be left out.
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

}  // namespace huddle
