#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// Moves vertices between parts until part p holds exactly sizes[p], at little cost in edge weight
/// between parts: first, least loss first, from parts that hold too much to adjacent ones that hold
/// too little; then along chains of adjacent parts, each handing one vertex to the next; and what
/// no chain reaches, straight. Deterministic. Precondition: `sizes` sums to the number of vertices,
/// part_of[v] < sizes.size().
void repair_balance(const GraphView& graph, std::span<const std::uint32_t> sizes,
                    std::vector<std::uint32_t>& part_of);

}  // namespace huddle
