#pragma once

// Curve of the cores' clock, which falls as more cores of their package are busy (turbo), from what
// was counted.

#include <utility>
#include <vector>

#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/pattern/placement.hpp"

namespace huddle::predict {

/// The clock curve of one machine; the same for all programs.
class ClockCurve {
 public:
  /// Clocks that do not depend on the number of busy cores.
  ClockCurve() = default;

  /// Learns from programs whose cycles were counted on patterns with different numbers of ranks in
  /// a package: PhaseSample::clock, against those of the same phase group with the fewest. The
  /// median over all groups counts. More busy cores never have a higher clock. Steady if nothing
  /// was counted, or the clocks differ by no more than noise.
  explicit ClockCurve(const std::vector<ProgramSamples>& programs);

  /// A clock that every other busy core of the package lowers by `loss` of itself, above 0.
  static ClockCurve falling(double loss);

  /// True if cycles were counted on patterns with different numbers of ranks in a package.
  [[nodiscard]] bool is_known() const { return known_; }

  /// Returns the factor by which the clock is lower than with the fewest ranks in a package that
  /// were counted; 1 or more. Linear between numbers of ranks that were counted, and beyond them as
  /// at the nearest.
  [[nodiscard]] double slowdown(const Sharing& sharing) const;
  /// The same where the cores are set to a frequency `core_slowdown` times lower, above 0: busy
  /// cores that pull the clock lower than that keep it there.
  [[nodiscard]] double slowdown(const Sharing& sharing, double core_slowdown) const;

  friend bool operator==(const ClockCurve&, const ClockCurve&) = default;

 private:
  /// Ranks in a package, and the slowdown there; ascending. Empty: steady.
  std::vector<std::pair<double, double>> points_;
  bool known_ = false;
};

}  // namespace huddle::predict
