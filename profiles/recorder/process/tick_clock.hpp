#pragma once

#include <time.h>

#include <cstdint>

#include "profiles/vocabulary/quantities.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace huddle::recorder {

/// The cheapest steady clock of this machine. Ticks have no unit until the end of a run: only then
/// is it known how many of them went by in the time that the system's clock measured, so that no
/// calibration delays the start.
class TickClock {
 public:
  /// Chooses the processor's time stamp counter if the kernel itself trusts it as its clock, else
  /// the system's monotonic clock. Call it once, before any other thread reads the clock.
  static void choose();

  static std::uint64_t now() {
#if defined(__x86_64__)
    if (counter_is_steady_) return __rdtsc();
#endif
    return nanoseconds();
  }

  /// CLOCK_MONOTONIC.
  static std::uint64_t nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  static inline bool counter_is_steady_ = false;
};

/// A moment by both clocks.
struct Moment {
  std::uint64_t ticks = 0;
  std::uint64_t nanoseconds = 0;

  static Moment now() { return {TickClock::now(), TickClock::nanoseconds()}; }
};

/// The time between two moments, and what a number of ticks between them lasted.
class Interval {
 public:
  Interval(Moment begin, Moment end);
  [[nodiscard]] Seconds length() const { return length_; }
  [[nodiscard]] Seconds lasted(std::uint64_t ticks) const;

 private:
  Seconds length_;
  double seconds_per_tick_ = 0;
};

}  // namespace huddle::recorder
