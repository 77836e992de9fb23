#pragma once

// Internal to commgraph/mapping.

#include <cstdint>

namespace huddle {

/// Fast numbers for searches: the same on every machine for the same seed. (Knuth's MMIX constants,
/// whose high half is mixed once more.) Not for anything that has to be unpredictable.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}

  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t x = state_ ^ (state_ >> 32U);
    return static_cast<std::uint32_t>(x ^ (x >> 29U));
  }

  /// 32 random bits mapped to 0 to `bound` - 1.
  static std::uint32_t scaled(std::uint32_t bits, std::uint32_t bound) {
    return static_cast<std::uint32_t>((std::uint64_t{bits} * bound) >> 32U);
  }

 private:
  std::uint64_t state_;
};

}  // namespace huddle
