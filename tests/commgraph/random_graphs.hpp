#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::test {

/// A grid's points and the edges to the next one in each direction, each of weight 1, without
/// wrap-around; its points numbered at random if `seed` is not 0.
commgraph::CommGraph stencil(std::vector<std::uint32_t> extents, unsigned seed);

/// About `edges` random edges of weights from 1 to `heaviest`, self-loops and parallel ones among
/// them.
std::vector<commgraph::WeightedEdge> random_edges(std::mt19937& random, std::uint32_t vertices,
                                                  std::size_t edges, std::uint64_t heaviest);

/// Up to four levels of arities 1 to 4 with growing distances.
commgraph::Hierarchy random_hierarchy(std::mt19937& random);

/// A number from `least` to `most`, the same with every standard library.
std::uint32_t number_in(std::mt19937& random, std::uint32_t least, std::uint32_t most);

/// J by its definition, over all ordered pairs, the distance found by walking up the tree of
/// groups: shares no code with the library.
std::uint64_t cost_by_definition(const commgraph::CommGraph& graph,
                                 const commgraph::Hierarchy& hierarchy,
                                 std::span<const std::uint32_t> core_of);

/// True if the first cores, as many as there are vertices, are in use, each once: then every group
/// of every level holds its share.
bool fills_cores_in_order(std::span<const std::uint32_t> core_of);

}  // namespace huddle::test
