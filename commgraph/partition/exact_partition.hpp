#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// How METIS splits: all parts at once, or by halves.
enum class SplitMethod : std::uint8_t { kKway, kRecursive };

struct SplitOptions {
  SplitMethod method = SplitMethod::kKway;
  /// Another seed may give another split; the same seed gives the same.
  std::uint64_t seed = 1;
  /// How far METIS may stray from the wanted sizes before the repair, in thousandths of a part.
  /// More leaves it more freedom and the repair more work; on small parts k-way needs plenty.
  std::uint32_t slack_permille = 100;
};

/// Splits a graph so that part p holds exactly sizes[p] vertices and little weight crosses between
/// parts; returns the part of each vertex. Deterministic. `sizes` must sum to the number of
/// vertices (throws Error otherwise); a size of 0 is fine. Throws Error if METIS can't hold the
/// graph (about 2^29 arcs).
std::vector<std::uint32_t> partition_exactly(const GraphView& graph,
                                             std::span<const std::uint32_t> sizes,
                                             const SplitOptions& options);

}  // namespace huddle
