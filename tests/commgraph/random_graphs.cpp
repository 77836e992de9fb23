#include "tests/commgraph/random_graphs.hpp"

#include <algorithm>
#include <numeric>

namespace huddle::test {

std::uint32_t number_in(std::mt19937& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random() % (most - least + 1));
}

commgraph::CommGraph stencil(std::vector<std::uint32_t> extents, unsigned seed) {
  const std::uint32_t points =
      std::accumulate(extents.begin(), extents.end(), 1U, std::multiplies<>());
  std::vector<commgraph::Vertex> number(points);
  std::iota(number.begin(), number.end(), 0U);
  std::mt19937 random(seed);
  if (seed != 0) std::shuffle(number.begin(), number.end(), random);

  std::vector<commgraph::WeightedEdge> edges;
  std::uint32_t stride = 1;
  for (const std::uint32_t extent : extents) {
    for (std::uint32_t point = 0; point < points; ++point)
      if (point / stride % extent + 1 < extent)
        edges.push_back({number[point], number[point + stride], 1});
    stride *= extent;
  }
  return {points, std::move(edges)};
}

std::vector<commgraph::WeightedEdge> random_edges(std::mt19937& random, std::uint32_t vertices,
                                                  std::size_t edges, std::uint64_t heaviest) {
  std::vector<commgraph::WeightedEdge> list;
  for (std::size_t i = 0; i < edges; ++i)
    list.push_back({number_in(random, 0, vertices - 1), number_in(random, 0, vertices - 1),
                    1 + random() % heaviest});
  return list;
}

commgraph::Hierarchy random_hierarchy(std::mt19937& random) {
  std::vector<std::uint32_t> arities(number_in(random, 1, 4));
  std::vector<std::uint64_t> distances;
  for (std::uint32_t& arity : arities) {
    arity = number_in(random, 1, 4);
    distances.push_back((distances.empty() ? 0 : distances.back()) + number_in(random, 0, 20));
  }
  return {arities, distances};
}

std::uint64_t cost_by_definition(const commgraph::CommGraph& graph,
                                 const commgraph::Hierarchy& hierarchy,
                                 std::span<const std::uint32_t> core_of) {
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    std::uint64_t apart = 0;
    for (std::size_t level = 0; a != b; ++level) {
      a /= hierarchy.arities()[level];
      b /= hierarchy.arities()[level];
      apart = hierarchy.distances()[level];
    }
    return apart;
  };
  const commgraph::GraphView view = graph.view();
  std::uint64_t sum = 0;
  for (commgraph::Vertex v = 0; v < graph.vertices(); ++v)
    for (std::uint64_t i = view.first[v]; i < view.first[v + 1]; ++i)
      sum += view.weights[i] * distance(core_of[v], core_of[view.neighbours[i]]);
  return sum;
}

bool fills_cores_in_order(std::span<const std::uint32_t> core_of) {
  std::vector<std::uint32_t> cores(core_of.begin(), core_of.end());
  std::sort(cores.begin(), cores.end());
  for (std::uint32_t i = 0; i < cores.size(); ++i)
    if (cores[i] != i) return false;
  return true;
}

}  // namespace huddle::test
