#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::commgraph {

/// Splits a graph so that part p holds exactly sizes[p] vertices, and the weight between parts is
/// such that no two parts lower it by Kernighan-Lin swaps; returns the part of each vertex.
///
/// The method is the task grouping of Li et al., "Power-Aware MPI Task Aggregation Prediction for
/// High-End Computing Systems", section IV: B. W. Kernighan and S. Lin, "An efficient heuristic
/// procedure for partitioning graphs", Bell System Technical Journal 49(2), 1970. From a start that
/// `seed` shuffles, pairs of parts are improved in turn until none gains. A pair is improved in
/// passes: the two vertices whose swap gains most (or loses least) are set aside as if swapped,
/// again and again until one part is exhausted; of that series the first swaps whose gains sum to
/// most are made. So swaps keep the sizes, whatever these are, and a pass can climb out of a local
/// minimum.
///
/// Only pairs of parts that an edge joins are tried, and only if one of the two has changed since
/// the pair was last tried. Both lose nothing: between parts without an edge no swap of any two
/// subsets lowers the cut. In a pass, vertices are kept in order of what moving each would gain, so
/// that few pairs of them have to be looked at; where that many tie that more than
/// kMostPairsPerSwap would have to be, the best of these is taken.
///
/// Deterministic; safe from any thread. Sums of weights are exact for every CommGraph. `sizes` must
/// sum to the number of vertices (throws Error otherwise); a size of 0 is fine.
std::vector<std::uint32_t> kernighan_lin_partition(const GraphView& graph,
                                                   std::span<const std::uint32_t> sizes,
                                                   std::uint64_t seed = 1);

/// All pairs of two parts of 128 vertices.
inline constexpr std::uint64_t kMostPairsPerSwap = std::uint64_t{1} << 14U;

/// The same from the given start: `part_of[v]` < `parts` of each vertex. Every part keeps its size;
/// the weight between parts never grows.
void improve_by_kernighan_lin(const GraphView& graph, std::uint32_t parts,
                              std::vector<std::uint32_t>& part_of);

}  // namespace huddle::commgraph
