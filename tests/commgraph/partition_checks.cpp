#include "tests/commgraph/partition_checks.hpp"

#include "tests/commgraph/random_graphs.hpp"

namespace huddle::test {

std::vector<std::uint32_t> part_sizes(std::span<const std::uint32_t> part_of, std::size_t parts) {
  std::vector<std::uint32_t> sizes(parts, 0);
  for (const std::uint32_t part : part_of) ++sizes.at(part);
  return sizes;
}

std::uint64_t cut(const commgraph::GraphView& graph, std::span<const std::uint32_t> part_of) {
  std::uint64_t sum = 0;
  for (commgraph::Vertex v = 0; v < graph.vertices(); ++v)
    for (std::size_t i = 0; i < graph.neighbours_of(v).size(); ++i)
      if (part_of[v] < part_of[graph.neighbours_of(v)[i]]) sum += graph.weights_of(v)[i];
  return sum;
}

std::vector<std::uint32_t> random_sizes(std::mt19937& random, std::uint32_t vertices,
                                        std::size_t parts) {
  std::vector<std::uint32_t> sizes(parts, 0);
  for (std::uint32_t v = 0; v < vertices; ++v)
    ++sizes[number_in(random, 0, static_cast<std::uint32_t>(parts) - 1)];
  return sizes;
}

}  // namespace huddle::test
