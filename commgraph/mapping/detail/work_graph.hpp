#pragma once

// The form of a graph that searches work on.

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::commgraph {

/// An arc of a WorkGraph. Weights are rounded to 24 bits: searches only compare sums of them, and
/// what they find is valued exactly afterwards.
struct Arc {
  Vertex to = 0;
  float weight = 0;
};

/// An undirected graph with target and weight side by side, every edge there from both ends.
struct WorkGraph {
  /// Vertices + 1 offsets.
  std::vector<std::uint64_t> first{0};
  std::vector<Arc> arcs;

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(first.size() - 1);
  }
  [[nodiscard]] std::span<const Arc> arcs_of(Vertex v) const {
    return std::span(arcs).subspan(first[v], first[v + 1] - first[v]);
  }
};

/// All vertices, those near each other in the graph mostly near each other in the order: breadth
/// first, each component from a vertex at its rim. Deterministic.
std::vector<Vertex> locality_order(const GraphView& graph);

/// `graph` with vertex order[i] as vertex i. Precondition: `order` is a permutation.
WorkGraph renumbered(const GraphView& graph, std::span<const Vertex> order);

/// Vertices `members` of `graph`, renumbered from 0 in that order, and the edges among them.
/// `number` is scratch space, as long as the graph has vertices, all kNoVertex before and after.
inline constexpr Vertex kNoVertex = 0xFFFF'FFFF;
WorkGraph induced(const WorkGraph& graph, std::span<const Vertex> members,
                  std::vector<Vertex>& number);

/// One vertex for each of `groups` groups; arcs within a group are gone, parallel ones are added.
WorkGraph contracted(const WorkGraph& graph, std::span<const std::uint32_t> group_of,
                     std::uint32_t groups);

/// Without the arcs that are not among the `most` heaviest of either of their ends.
WorkGraph heaviest_arcs(const WorkGraph& graph, std::size_t most);

/// The mean weight of an arc, 0 if there is none.
double mean_weight(const WorkGraph& graph);

/// The weight of the arcs that join different groups (so each edge counts twice).
double cut_weight(const WorkGraph& graph, std::span<const std::uint32_t> group_of);

}  // namespace huddle::commgraph
