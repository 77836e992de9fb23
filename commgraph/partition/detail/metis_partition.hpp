#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/partition/exact_partition.hpp"

namespace huddle::commgraph {

/// METIS, whose parts come near the wanted sizes but seldom meet them. Same parameters as
/// partition_exactly(); at least 2 parts, of at least 1 vertex each, and at least one edge. Weights
/// are scaled down where METIS' integers can't hold their sum. One call at a time: METIS uses the C
/// library's rand(), catches SIGABRT and SIGTERM while it runs, and what other threads print to C's
/// stdout meanwhile is lost, since METIS' own words go that way.
std::vector<std::uint32_t> metis_partition(const GraphView& graph,
                                           std::span<const std::uint32_t> sizes,
                                           const SplitOptions& options);

}  // namespace huddle::commgraph
