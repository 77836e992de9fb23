#pragma once

// The engine "auto".

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/mapping/detail/grouping.hpp"
#include "commgraph/mapping/recursive_mapping.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// Maps vertices to cores, the nodes taking the given shares: from the nodes inwards, find_groups()
/// at each level, ExactArrangement once a group is small enough. Deterministic, on any number of
/// threads. Precondition: the shares sum to the number of vertices.
std::vector<std::uint32_t> map_hierarchically(const GraphView& graph, const Hierarchy& hierarchy,
                                              std::span<const NodeShare> shares,
                                              const SearchControl& control);

}  // namespace huddle::commgraph
