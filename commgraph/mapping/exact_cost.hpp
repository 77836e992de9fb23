#pragma once

// Internal to commgraph/mapping.

#include <cstdint>
#include <span>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// Holds any sum of weight x distance: weights sum to less than 2^64, and so is a distance.
__extension__ typedef unsigned __int128 ExactCost;

/// J, as objective() defines it, that never overflows. Precondition: `core_of` is as long as the
/// graph has vertices, and names cores of the hierarchy.
ExactCost exact_cost(const GraphView& graph, const Hierarchy& hierarchy,
                     std::span<const std::uint32_t> core_of);

}  // namespace huddle
