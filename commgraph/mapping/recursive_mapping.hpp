#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/mapping/node_shares.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

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

/// The same on the first cores.
std::vector<std::uint32_t> map_recursively(const GraphView& graph, const Hierarchy& hierarchy,
                                           const Splitter& split);

}  // namespace huddle
