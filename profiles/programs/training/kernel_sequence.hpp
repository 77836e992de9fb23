#pragma once

#include <cstdint>

namespace huddle::calibration {

/// Pseudo-random numbers x -> a x + c modulo 2^64 (Knuth's MMIX), or modulo a smaller power of two,
/// where they go through every number once before they repeat. Where a sequence stands after any
/// number of steps can be computed at once: that is how kernels know what they should have found.
struct Sequence {
  static constexpr std::uint64_t kFactor = 6364136223846793005U;
  static constexpr std::uint64_t kSummand = 1442695040888963407U;

  static constexpr std::uint64_t next(std::uint64_t x) { return kFactor * x + kSummand; }

  /// next() applied `steps` times, by repeated squaring.
  static constexpr std::uint64_t after(std::uint64_t x, std::uint64_t steps) {
    std::uint64_t factor = kFactor;
    std::uint64_t summand = kSummand;
    for (; steps > 0; steps >>= 1U) {
      if ((steps & 1U) != 0) x = factor * x + summand;
      summand = (factor + 1) * summand;
      factor = factor * factor;
    }
    return x;
  }

  /// The upper bits of a number, which are the random ones.
  static constexpr std::uint64_t upper(std::uint64_t x) { return x >> 32U; }
};

/// The largest power of two that is at most `number`, which is 1 or more.
constexpr std::uint64_t power_of_two_below(std::uint64_t number) {
  std::uint64_t power = 1;
  while (power <= number / 2) power *= 2;
  return power;
}

}  // namespace huddle::calibration
