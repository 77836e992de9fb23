#pragma once

// Internal to commgraph/mapping.

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// How many vertices a node gets, on its first cores.
struct NodeShare {
  std::uint32_t first_core = 0;
  std::uint32_t vertices = 0;
};

/// The nodes that `vertices` vertices use when nodes are filled in order, each up to its entry of
/// `node_sizes` (empty: all its cores). Every share but the last is full; nodes of size 0 are left
/// out. Throws UsageError if `node_sizes` has not one entry for each node, an entry exceeds a
/// node's cores, or all together are fewer than `vertices`.
std::vector<NodeShare> node_shares(const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> node_sizes,
                                   std::uint32_t vertices);

}  // namespace huddle
