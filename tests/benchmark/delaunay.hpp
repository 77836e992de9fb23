#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/benchmark/random_points.hpp"

namespace huddle {

/// The edges of the Delaunay triangulation of points, each once, as pairs of indices. Exact; where
/// more than three points lie on an empty circle, it is one of the triangulations. Fast when
/// neighbours in the sequence are near each other, as random_points() leaves them. No edges if all
/// points are on one line. Precondition: no two points alike.
std::vector<std::pair<std::uint32_t, std::uint32_t>> delaunay_edges(
    std::span<const GridPoint> points);

}  // namespace huddle
