#pragma once

// The clocks that the recorder reads: cheap ticks, and their unit.

#include <time.h>

#include <algorithm>
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

/// CLOCK_BOOTTIME: since the machine was started, as in the answers of huddle-energyd.
inline Seconds since_boot() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return {static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

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

/// Decides which of a thread's calls are timed. Reading the clock twice costs as much as a short
/// MPI call's own work, so time is spent on it by a budget: one call in every kTicksPerCall ticks,
/// saved up to kMostSaved calls. While the budget lasts every call is timed. Beyond it (thousands
/// of calls in a burst) calls are drawn at random, one in kStride on average, and each of these
/// stands for kStride calls: the sum of duration times weight is an unbiased estimate of the time
/// in all calls, whatever pattern the program calls in (Horvitz and Thompson's estimator, 1952).
class CallClock {
 public:
  static constexpr std::uint64_t kTicksPerCall = 16'384;
  static constexpr std::uint64_t kMostSaved = 4096;
  static constexpr std::uint32_t kStride = 128;

  /// `now`: in ticks, like all times here.
  explicit CallClock(std::uint64_t now = 0) : last_(now) {}

  /// Returns true if the call that begins now is not timed. To be called once for each call; if the
  /// call is timed, weigh() must be called when it has ended.
  bool passes_over() {
    if (countdown_ == 1) return false;
    --countdown_;
    return true;
  }

  /// True if no call has been passed over since the last one that was not.
  [[nodiscard]] bool times_all() const { return weight_ == 1; }

  /// From now on every call is timed, whatever that costs.
  void pass_over_none() {
    none_ = true;
    countdown_ = 1;
  }

  /// A call that was not passed over ended at `now`: how many calls it stands for.
  std::uint32_t weigh(std::uint64_t now) {
    const std::uint32_t weight = weight_;
    saved_ += now - last_;
    last_ = now;
    saved_ = std::min(saved_, kMostSaved * kTicksPerCall);
    const bool affordable = none_ || saved_ >= kTicksPerCall;
    if (saved_ >= kTicksPerCall) saved_ -= kTicksPerCall;
    weight_ = affordable ? 1 : kStride;
    countdown_ = affordable ? 1 : draw();
    return weight;
  }

 private:
  // Uniform on 1 to 2 * kStride - 1 (Marsaglia's xorshift, 2003).
  std::uint32_t draw() {
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 17U;
    random_ ^= random_ << 5U;
    return 1 + static_cast<std::uint32_t>((std::uint64_t{random_} * (2 * kStride - 1)) >> 32U);
  }

  bool none_ = false;
  std::uint32_t countdown_ = 1;
  std::uint32_t weight_ = 1;
  std::uint64_t saved_ = kMostSaved * kTicksPerCall;
  std::uint64_t last_;
  std::uint32_t random_ = 2463534242U;
};

}  // namespace huddle::recorder
