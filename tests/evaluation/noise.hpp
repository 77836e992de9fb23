#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace huddle::evaluation {

/// A number that differs for different texts and is the same in every run.
constexpr std::uint64_t seed_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x100000001b3U;
  return hash;
}

/// Random numbers (splitmix64) that are the same with every compiler, unlike those of <random>'s
/// distributions.
class Noise {
 public:
  explicit Noise(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(seed ^ (stream * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU)) {}

  /// From 0 to below 1.
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  /// Normal, mean 0 and deviation 1.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  /// A factor around 1 with this relative deviation.
  double factor(double deviation) { return 1 + deviation * normal(); }

 private:
  std::uint64_t next() {
    std::uint64_t value = state_ += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace huddle::evaluation
