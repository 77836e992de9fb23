#pragma once

#include <cstdint>
#include <span>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// The cost of a mapping, J = sum over ordered pairs (i, j) of weight(i, j) x distance(core of i,
/// core of j): what mappers minimise. An edge counts twice, since (i, j) and (j, i) are two ordered
/// pairs. `core_of[v]` is the core of vertex v.
/// Throws Error if J is 2^64 or more, if `core_of` is not as long as the graph has vertices, or
/// names a core that the hierarchy has not.
std::uint64_t objective(const CommGraph& graph, const Hierarchy& hierarchy,
                        std::span<const std::uint32_t> core_of);

/// The weight of the edges that join different nodes, each edge once: for a graph of bytes made
/// from a profile, the bytes between nodes. Throws Error as objective() does; it can't overflow.
std::uint64_t weight_between_nodes(const CommGraph& graph, const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> core_of);

/// Holds any sum of weight x distance: weights sum to less than 2^64, and so is a distance.
__extension__ typedef unsigned __int128 ExactCost;

/// J, as objective() defines it, that never overflows. Precondition: `core_of` is as long as the
/// graph has vertices, and names cores of the hierarchy.
ExactCost exact_cost(const GraphView& graph, const Hierarchy& hierarchy,
                     std::span<const std::uint32_t> core_of);

}  // namespace huddle::commgraph
