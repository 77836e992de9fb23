#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// Some vertices of a larger graph and the edges among them, renumbered from 0 in the same order.
struct Subgraph {
  std::vector<std::uint64_t> first{0};
  std::vector<Vertex> neighbours;
  std::vector<std::uint64_t> weights;
  /// The number of each vertex in the larger graph.
  std::vector<Vertex> original;

  [[nodiscard]] GraphView view() const { return {first, neighbours, weights}; }
};

/// Cuts `graph` into one subgraph for each of `parts` parts; `part_of[v]` < parts. Edges between
/// parts are gone.
std::vector<Subgraph> subgraphs(const GraphView& graph, std::span<const std::uint32_t> part_of,
                                std::uint32_t parts);

}  // namespace huddle
