#pragma once

#include <cstdint>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// Lets pairs of vertices swap cores while that lowers J, greedily: each vertex tries the cores
/// near those of its heaviest neighbours, until no such swap helps or the work is bounded (a number
/// of distances looked up that grows with the graph, so the result depends on no clock). Never
/// returns a mapping with a higher J than `core_of`. Deterministic.
/// Precondition: `core_of` names cores of the hierarchy, none twice; which are in use stays.
std::vector<std::uint32_t> refine_by_swaps(const GraphView& graph, const Hierarchy& hierarchy,
                                           const std::vector<std::uint32_t>& core_of);

}  // namespace huddle::commgraph
