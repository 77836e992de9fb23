#include "tests/benchmark/random_points.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace huddle {
namespace {

// The point at that place of the Hilbert curve through the whole square. Two bits of the place are
// the quadrant at each level; the curve within it is turned by what came before.
GridPoint hilbert_point(std::uint64_t place) {
  GridPoint point;
  for (unsigned bit = 0; bit < GridPoint::kBits; ++bit, place /= 4) {
    const bool right = (place & 2U) != 0;
    const bool up = right != ((place & 1U) != 0);
    const std::int64_t side = std::int64_t{1} << bit;
    if (!up) {
      if (right) point = {side - 1 - point.x, side - 1 - point.y};
      std::swap(point.x, point.y);
    }
    point.x += right ? side : 0;
    point.y += up ? side : 0;
  }
  return point;
}

}  // namespace

std::vector<GridPoint> random_points(std::uint32_t count, std::uint64_t seed) {
  // Places on the curve are as good as coordinates: each point of the square has one.
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> places;
  while (places.size() < count) {
    while (places.size() < count) places.push_back(random() >> (64U - 2 * GridPoint::kBits));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  std::vector<GridPoint> points(count);
  std::transform(places.begin(), places.end(), points.begin(), hilbert_point);
  return points;
}

}  // namespace huddle
