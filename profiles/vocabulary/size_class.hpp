#pragma once

#include <bit>
#include <cstdint>

namespace huddle {

/// Messages are counted by the power of two that bounds their size: class 0 holds empty messages,
/// class k > 0 those of 2^(k-1) to 2^k - 1 bytes. 65 classes cover every 64-bit size.
inline constexpr unsigned kSizeClasses = 65;

constexpr std::uint8_t size_class_of(std::uint64_t bytes) {
  return static_cast<std::uint8_t>(std::bit_width(bytes));
}

/// The smallest size in a class, in bytes.
constexpr std::uint64_t smallest_of_class(unsigned size_class) {
  return size_class == 0 ? 0 : std::uint64_t{1} << (size_class - 1);
}

/// The largest size in a class, in bytes.
constexpr std::uint64_t largest_of_class(unsigned size_class) {
  return size_class == 0 ? 0 : smallest_of_class(size_class) + (smallest_of_class(size_class) - 1);
}

}  // namespace huddle
