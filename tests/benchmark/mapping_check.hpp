#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// Judges mappings for the benchmarks. It shares no code with commgraph/mapping, so that a mistake
/// there can't hide.

/// J = sum over ordered pairs (i, j) of weight(i, j) x distance(core of i, core of j); two vertices
/// on one core are 0 apart. Precondition: it is below 2^64, and every core is one of the
/// hierarchy's.
std::uint64_t cost_of_mapping(const commgraph::CommGraph& graph,
                              const commgraph::Hierarchy& hierarchy,
                              std::span<const std::uint32_t> core_of);

/// The number of vertices on the core that holds most. Precondition: every core is below `cores`.
std::uint32_t largest_load(std::span<const std::uint32_t> core_of, std::uint32_t cores);

/// Why this is no mapping of `vertices` vertices to the first as many cores, one each; empty if it
/// is one.
std::string fault_of_mapping(std::span<const std::uint32_t> core_of, std::uint32_t vertices);

}  // namespace huddle
