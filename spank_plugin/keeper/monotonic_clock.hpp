#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace huddle::keeper {

/// On CLOCK_MONOTONIC, which ranks and keeper share.
using MonotonicNs = std::uint64_t;
inline constexpr MonotonicNs kNever = std::numeric_limits<MonotonicNs>::max();

inline MonotonicNs monotonic_now() noexcept {
  struct timespec now {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<MonotonicNs>(now.tv_sec) * 1'000'000'000U +
         static_cast<MonotonicNs>(now.tv_nsec);
}

inline MonotonicNs ns_of(std::chrono::nanoseconds span) noexcept {
  return static_cast<MonotonicNs>(std::max<std::int64_t>(span.count(), 0));
}

/// So many at once, and so many in a second: what is beyond must wait. For one thread.
class Allowance {
 public:
  Allowance() = default;
  Allowance(double in_a_second, double at_once) noexcept
      : in_a_second_(in_a_second), at_once_(at_once), left_(at_once) {}

  /// Takes one, if there is one.
  [[nodiscard]] bool take(MonotonicNs now) noexcept {
    if (now > filled_)
      left_ = std::min(at_once_, left_ + static_cast<double>(now - filled_) * 1e-9 * in_a_second_);
    filled_ = std::max(filled_, now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  double in_a_second_ = 0;
  double at_once_ = 0;
  double left_ = 0;
  MonotonicNs filled_ = 0;
};

}  // namespace huddle::keeper
