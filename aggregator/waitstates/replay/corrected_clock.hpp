#pragma once

#include <algorithm>
#include <cstdint>

namespace huddle {

/// A location's clock, set forward where the trace's would break causality (a controlled logical
/// clock, after Rabenseifner). What it was set forward by is given back as the location's own time
/// goes on, at most 1 tick in 128, so that times never fall and intervals hardly shrink.
class CorrectedClock {
 public:
  [[nodiscard]] std::uint64_t at(std::uint64_t raw) const {
    if (shift_ == 0) return raw;
    const std::uint64_t back = (raw - set_at_) / kGiveBack;
    return raw + shift_ - std::min(shift_, back);
  }

  /// From `raw` on it is at least `least`. `raw` is not before any earlier one.
  void set_forward(std::uint64_t raw, std::uint64_t least) {
    if (at(raw) >= least) return;
    shift_ = least - raw;
    set_at_ = raw;
  }

 private:
  static constexpr std::uint64_t kGiveBack = 128;
  std::uint64_t shift_ = 0;
  std::uint64_t set_at_ = 0;
};

}  // namespace huddle
