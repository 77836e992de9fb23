#pragma once

#include <cstdint>
#include <vector>

namespace huddle {

/// A point of a square of 2^kBits x 2^kBits cells. Whole numbers, so that geometric predicates are
/// exact: an in-circle determinant fits into 128 bits.
struct GridPoint {
  static constexpr unsigned kBits = 26;

  std::int64_t x = 0;
  std::int64_t y = 0;
};

/// That many points, no two alike, in the order of a Hilbert curve. The same seed makes the same.
std::vector<GridPoint> random_points(std::uint32_t count, std::uint64_t seed);

}  // namespace huddle
