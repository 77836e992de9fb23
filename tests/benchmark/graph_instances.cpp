#include "tests/benchmark/graph_instances.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>

#include "tests/benchmark/delaunay.hpp"
#include "tests/benchmark/random_points.hpp"

namespace huddle {
namespace {

using Sides = std::span<const std::uint32_t>;

commgraph::Vertex cell_number(Sides sides, std::span<const std::int64_t> cell) {
  std::uint64_t number = 0;
  for (std::size_t d = sides.size(); d-- > 0;)
    number = number * sides[d] + static_cast<std::uint64_t>(cell[d]);
  return static_cast<commgraph::Vertex>(number);
}

std::vector<std::int64_t> cell_of(Sides sides, commgraph::Vertex vertex) {
  std::vector<std::int64_t> cell;
  for (const std::uint32_t side : sides) {
    cell.push_back(vertex % side);
    vertex /= side;
  }
  return cell;
}

std::uint32_t cells(Sides sides) {
  return std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>());
}

// One of each pair of opposite steps.
std::vector<std::vector<std::int64_t>> half_of_steps(std::size_t dimensions, Stencil stencil) {
  std::vector<std::vector<std::int64_t>> steps;
  const auto all = static_cast<std::uint32_t>(std::lround(std::pow(3, dimensions)));
  for (std::uint32_t code = all / 2 + 1; code < all; ++code) {  // all / 2 is no step at all
    std::vector<std::int64_t> step;
    std::int64_t length = 0;
    for (std::uint32_t rest = code; step.size() < dimensions; rest /= 3) {
      step.push_back(std::int64_t{rest % 3} - 1);
      length += std::abs(step.back());
    }
    if (stencil == Stencil::kCorners || length == 1) steps.push_back(step);
  }
  return steps;
}

// Moves `cell` by `step`; false if that leaves the grid.
bool take_step(Sides sides, bool wraps, std::span<const std::int64_t> step,
               std::vector<std::int64_t>& cell) {
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const std::int64_t side = sides[d];
    cell[d] += step[d];
    if (cell[d] >= 0 && cell[d] < side) continue;
    if (!wraps || side <= 2) return false;
    cell[d] = (cell[d] + side) % side;
  }
  return true;
}

// The radius at which the mean degree of `vertices` uniform points is 10. A disk around a point of
// the unit square covers pi r^2 - 8/3 r^3 + r^4/2 of it on average, since some disks stick out.
double radius_for_degree_10(std::uint32_t vertices) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double r = (low + high) / 2;
    const double covered = r * r * (std::numbers::pi - 8.0 / 3.0 * r + r * r / 2);
    (covered * (vertices - 1.0) < 10 ? low : high) = r;
  }
  return high;
}

// Points by cells of a coarse grid, so that those near a point are found without looking at all.
struct Buckets {
  std::int64_t per_side = 0;
  std::int64_t width = 0;
  std::vector<std::vector<commgraph::Vertex>> points;

  Buckets(std::span<const GridPoint> all, std::int64_t least_width) {
    constexpr std::int64_t kSide = std::int64_t{1} << GridPoint::kBits;
    per_side = std::max<std::int64_t>(1, kSide / least_width);
    width = kSide / per_side + 1;
    points.resize(static_cast<std::size_t>(per_side * per_side));
    for (commgraph::Vertex v = 0; v < all.size(); ++v)
      points[static_cast<std::size_t>(all[v].y / width * per_side + all[v].x / width)].push_back(v);
  }

  // Calls visit(v) for each point in the bucket of `centre` and the eight around it.
  template <class Visit>
  void near(const GridPoint& centre, Visit&& visit) const {
    for (std::int64_t y = centre.y / width - 1; y <= centre.y / width + 1; ++y)
      for (std::int64_t x = centre.x / width - 1; x <= centre.x / width + 1; ++x)
        if (x >= 0 && y >= 0 && x < per_side && y < per_side)
          for (const commgraph::Vertex v : points[static_cast<std::size_t>(y * per_side + x)])
            visit(v);
  }
};

}  // namespace

commgraph::CommGraph stencil_graph(Sides sides, Stencil stencil, bool wraps) {
  const auto steps = half_of_steps(sides.size(), stencil);
  const std::uint32_t vertices = cells(sides);
  std::vector<commgraph::WeightedEdge> edges;
  edges.reserve(vertices * steps.size());
  for (commgraph::Vertex v = 0; v < vertices; ++v) {
    const std::vector<std::int64_t> from = cell_of(sides, v);
    std::vector<std::int64_t> to;
    for (const auto& step : steps) {
      to = from;
      if (take_step(sides, wraps, step, to)) edges.push_back({v, cell_number(sides, to), 1});
    }
  }
  return {vertices, std::move(edges)};
}

std::vector<std::uint32_t> even_sides(std::uint32_t vertices, std::uint32_t dimensions) {
  std::vector<std::uint32_t> sides;
  for (std::uint32_t left = vertices; dimensions > 0; --dimensions) {
    // The shortest side that is long enough for all to come out even.
    auto side = static_cast<std::uint32_t>(std::ceil(std::pow(left, 1.0 / dimensions) - 1e-9));
    while (left % side != 0) ++side;
    sides.push_back(side);
    left /= side;
  }
  std::sort(sides.begin(), sides.end(), std::greater<>());
  return sides;
}

commgraph::CommGraph geometric_graph(std::uint32_t vertices, std::uint64_t seed) {
  const std::vector<GridPoint> points = random_points(vertices, seed);
  const double side = std::ldexp(1.0, GridPoint::kBits);
  const auto radius = static_cast<std::int64_t>(std::ceil(radius_for_degree_10(vertices) * side));
  const Buckets buckets(points, radius);
  std::vector<commgraph::WeightedEdge> edges;
  edges.reserve(std::size_t{vertices} * 5);
  for (commgraph::Vertex v = 0; v < vertices; ++v) {
    buckets.near(points[v], [&](commgraph::Vertex u) {
      const std::int64_t dx = points[u].x - points[v].x;
      const std::int64_t dy = points[u].y - points[v].y;
      if (v < u && dx * dx + dy * dy < radius * radius) edges.push_back({v, u, 1});
    });
  }
  return {vertices, std::move(edges)};
}

commgraph::CommGraph delaunay_graph(std::uint32_t vertices, std::uint64_t seed) {
  std::vector<commgraph::WeightedEdge> edges;
  for (const auto& [a, b] : delaunay_edges(random_points(vertices, seed)))
    edges.push_back({a, b, 1});
  return {vertices, std::move(edges)};
}

commgraph::CommGraph cg_graph(std::uint32_t vertices) {
  const auto bits = static_cast<unsigned>(std::countr_zero(vertices));
  const std::uint32_t rows = 1U << (bits / 2);
  const std::uint32_t columns = vertices / rows;
  constexpr std::uint64_t kUnknowns = 150000;  // class C
  const std::uint64_t vector_bytes = 8 * std::max<std::uint64_t>(1, kUnknowns / columns);
  constexpr std::uint64_t kScalarBytes = 2 * 8;  // the dot products of an iteration
  const std::uint32_t wide = columns / rows;     // 1 or 2
  std::vector<commgraph::WeightedEdge> edges;
  for (commgraph::Vertex v = 0; v < vertices; ++v) {
    for (std::uint32_t distance = 1; distance < columns; distance *= 2)
      edges.push_back({v, v ^ distance, vector_bytes + kScalarBytes});
    const commgraph::Vertex pair = v / wide;
    const commgraph::Vertex transpose = wide * (pair % rows * rows + pair / rows) + v % wide;
    edges.push_back({v, transpose, vector_bytes});
  }
  return {vertices, std::move(edges)};
}

commgraph::CommGraph bt_graph(std::uint32_t vertices) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(vertices)));
  const std::array<std::uint32_t, 2> sides{side, side};
  const auto at = [&](std::uint32_t x, std::uint32_t y) { return y % side * side + x % side; };
  const std::uint64_t cell = std::max<std::uint32_t>(1, 162 / side);  // class C
  const std::uint64_t face_bytes = cell * cell * side * 5 * 8;  // a face of each of `side` cells
  std::vector<commgraph::WeightedEdge> edges;
  for (commgraph::Vertex v = 0; v < cells(sides); ++v) {
    const std::uint32_t x = v % side;
    const std::uint32_t y = v / side;
    edges.push_back({v, at(x + 1, y), 3 * face_bytes});
    edges.push_back({v, at(x, y + 1), 3 * face_bytes});
    edges.push_back({v, at(x + 1, y + 1), 2 * face_bytes});
  }
  return {vertices, std::move(edges)};
}

commgraph::CommGraph mg_graph(std::uint32_t vertices) {
  const std::vector<std::uint32_t> sides = even_sides(vertices, 3);
  constexpr std::uint64_t kFaceBytes = 64 * 64 * 8;  // of the finest level
  std::vector<commgraph::WeightedEdge> edges;
  for (std::uint32_t stride = 1; stride < sides.front(); stride *= 2) {
    const std::uint64_t bytes = std::max<std::uint64_t>(8, kFaceBytes / stride / stride);
    for (commgraph::Vertex v = 0; v < vertices; ++v) {
      const std::vector<std::int64_t> cell = cell_of(sides, v);
      if (std::any_of(cell.begin(), cell.end(), [&](auto c) { return c % stride != 0; })) continue;
      for (std::size_t d = 0; d < sides.size(); ++d) {
        if (stride >= sides[d]) continue;
        std::vector<std::int64_t> to = cell;
        to[d] += stride;
        if (to[d] >= sides[d]) to[d] = 0;
        edges.push_back({v, cell_number(sides, to), 2 * bytes});  // it also answers
      }
    }
  }
  return {vertices, std::move(edges)};
}

commgraph::CommGraph shuffled(const commgraph::CommGraph& graph, std::uint32_t seed) {
  std::vector<commgraph::Vertex> number(graph.vertices());
  std::iota(number.begin(), number.end(), 0U);
  std::shuffle(number.begin(), number.end(), std::mt19937(seed));
  const commgraph::GraphView view = graph.view();
  std::vector<commgraph::WeightedEdge> edges;
  edges.reserve(graph.edges());
  for (commgraph::Vertex v = 0; v < view.vertices(); ++v)
    for (std::uint64_t i = view.first[v]; i < view.first[std::size_t{v} + 1]; ++i)
      if (const commgraph::Vertex u = view.neighbours[i]; v < u)
        edges.push_back({number[v], number[u], view.weights[i]});
  return {graph.vertices(), std::move(edges)};
}

}  // namespace huddle
