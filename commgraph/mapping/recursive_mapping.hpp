#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// The number of vertices that a node gets, on its first cores.
struct NodeShare {
  std::uint32_t first_core = 0;
  std::uint32_t vertices = 0;
};

/// The nodes that `vertices` vertices use when nodes are filled in order, each up to its entry of
/// `node_sizes` (empty: all its cores). Every share but the last is full; nodes of size 0 are left
/// out. Throws UsageError if `node_sizes` has not one entry for each node, an entry exceeds a
/// node's cores, or all together are fewer than `vertices`.
std::vector<NodeShare> node_shares(const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> node_sizes,
                                   std::uint32_t vertices);

/// Splits a graph into parts of exactly these sizes (all at least 1) and returns each vertex's
/// part.
using Splitter = std::function<std::vector<std::uint32_t>(const GraphView& graph,
                                                          std::span<const std::uint32_t> sizes)>;

/// Maps vertices to cores of `hierarchy` from its outermost level inwards: the vertices are split
/// among the nodes in the given shares, then those of each group among its members, each of which
/// is split in turn. Every member but the last in use is full. Precondition: the shares sum to the
/// number of vertices.
std::vector<std::uint32_t> map_recursively(const GraphView& graph, const Hierarchy& hierarchy,
                                           std::span<const NodeShare> shares,
                                           const Splitter& split);

}  // namespace huddle::commgraph
