#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// Splits a graph into parts of exactly these sizes (all at least 1) and returns each vertex's
/// part.
using Splitter = std::function<std::vector<std::uint32_t>(const GraphView& graph,
                                                          std::span<const std::uint32_t> sizes)>;

/// Maps vertices to the first cores of `hierarchy` from its outermost level inwards: the vertices
/// of a group are split among its members, each of which is then split in turn. Every member but
/// the last in use is full. Precondition: no more vertices than cores.
std::vector<std::uint32_t> map_recursively(const GraphView& graph, const Hierarchy& hierarchy,
                                           const Splitter& split);

}  // namespace huddle
