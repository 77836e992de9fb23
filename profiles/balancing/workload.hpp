#pragma once

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balancing {

/// The time of a core's work between two points of synchronisation, and how that follows its
/// clock. This is EnergyLB's weighted load (equation 1) in the form that does not oscillate: the
/// time that was measured times the clock that was achieved is work, which does not change when the
/// clock does; and of that time only a part follows the clock, since memory has a clock of its own.
struct Workload {
  /// At the top clock; 0 or more.
  Seconds time;
  /// The part of `time` that grows as the clock falls, 0 (waits for memory only) to 1 (computes
  /// only).
  double sensitivity = 1;
};

/// The factor by which work takes longer at `clock` than at `top`: s top / clock + 1 - s.
inline double stretch(double sensitivity, Hertz clock, Hertz top) {
  return sensitivity * (top / clock) + (1 - sensitivity);
}

/// The work behind `measured`, a time in which the core ran at `achieved` on average.
inline Workload workload_of(Seconds measured, Hertz achieved, Hertz top, double sensitivity) {
  return {measured * (1 / stretch(sensitivity, achieved, top)), sensitivity};
}

/// The time of the work at another clock.
inline Seconds time_at(const Workload& work, Hertz clock, Hertz top) {
  return work.time * stretch(work.sensitivity, clock, top);
}

}  // namespace huddle::balancing
