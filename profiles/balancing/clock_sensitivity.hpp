#pragma once

#include <array>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balancing {

/// The share of a core's work that follows its clock (Workload::sensitivity), learnt while the
/// program runs from what the time of the same work did when the clock changed. That is a
/// probability for each of a grid of sensitivities: loads change by themselves, too, so that no
/// single change proves anything. Before the first change every sensitivity is as probable as any
/// other. What was seen long ago counts less. One thread.
class ClockSensitivity {
 public:
  explicit ClockSensitivity(Hertz top);

  /// The mean time of some periods in which the clock stayed the same.
  void observe(Seconds time, Hertz clock);

  [[nodiscard]] double mean() const { return mean_; }
  /// One in forty is below, or above.
  [[nodiscard]] double lower() const { return lower_; }
  [[nodiscard]] double upper() const { return upper_; }

 private:
  static constexpr std::size_t kGrid = 41;

  void summarize();

  Hertz top_;
  Seconds last_time_;
  Hertz last_clock_;
  /// The change of loads by themselves from one observation to the next, as a logarithm.
  double noise_ = 0.02;
  std::array<double, kGrid> log_weight_{};
  double mean_ = 0.5;
  double lower_ = 0;
  double upper_ = 1;
};

}  // namespace huddle::balancing
