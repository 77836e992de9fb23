#pragma once

#include <optional>
#include <span>

namespace huddle {

/// What a quantity was in the runs of one side and of another, and whether it changed.
struct RunChange {
  double before = 0;  ///< mean of the runs
  double after = 0;
  /// By how much the difference of the means may be off by chance: half the interval of 99 %, by
  /// Welch's test. Absent if neither side has two runs.
  std::optional<double> noise = {};

  [[nodiscard]] double difference() const { return after - before; }
  /// Whether the difference is more than chance explains; absent if that is not known.
  [[nodiscard]] std::optional<bool> beyond_noise() const;
};

/// The share of differences that are beyond noise though nothing changed.
inline constexpr double kFalseChanges = 0.01;

/// Welch, The generalization of "Student's" problem when several different population variances are
/// involved (1947), with the degrees of freedom rounded down. A side with one run is taken to vary
/// as the other one does. Precondition: at least one value on each side.
RunChange change_of(std::span<const double> before, std::span<const double> after);

/// The quantile of Student's distribution that a variable is below with this probability, 0.5 to
/// 1 (excluded). Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
/// Precondition: at least one degree of freedom.
double student_quantile_of(double probability, unsigned degrees);

}  // namespace huddle
