#pragma once

#include <cstdint>

namespace huddle::forecast {

/// Random numbers that are the same on every machine and with every library: SplitMix64 (G. L.
/// Steele, D. Lea, C. H. Flood, OOPSLA 2014). A plain value; streams with other keys are
/// independent for all that a forest needs.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t key) : state_(key) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    return mixed(state_);
  }

  /// Each of 0 .. count - 1 equally often (D. Lemire, ACM TOMACS 29, 2019). Precondition:
  /// count > 0.
  std::uint32_t below(std::uint32_t count) {
    std::uint64_t product = (next() >> 32U) * count;
    if (static_cast<std::uint32_t>(product) < count) {
      const std::uint32_t least = (0U - count) % count;
      while (static_cast<std::uint32_t>(product) < least) product = (next() >> 32U) * count;
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  /// The key of a stream that belongs to `part` of what has the key `key`.
  static std::uint64_t key_of(std::uint64_t key, std::uint64_t part) {
    return mixed(mixed(key + 0x9E3779B97F4A7C15U) ^ (part * 0xD1342543DE82EF95U + 1));
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace huddle::forecast
