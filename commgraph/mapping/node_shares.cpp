#include "commgraph/mapping/node_shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle {

std::vector<NodeShare> node_shares(const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> node_sizes,
                                   std::uint32_t vertices) {
  const std::uint32_t cores = hierarchy.cores_per_node();
  if (!node_sizes.empty() && node_sizes.size() != hierarchy.nodes())
    throw UsageError(fmt::format("sizes are given for {} nodes, but the hierarchy has {}",
                                 node_sizes.size(), hierarchy.nodes()));
  std::vector<NodeShare> shares;
  std::uint32_t left = vertices;
  for (std::uint32_t node = 0; node < hierarchy.nodes(); ++node) {
    const std::uint32_t size = node_sizes.empty() ? cores : node_sizes[node];
    if (size > cores)
      throw UsageError(
          fmt::format("node {} is to use {} cores, but it has only {}", node, size, cores));
    const std::uint32_t taken = std::min(size, left);
    if (taken > 0) shares.push_back({node * cores, taken});
    left -= taken;
  }
  if (left > 0)
    throw UsageError(fmt::format("{} ranks don't fit on the {} cores that the nodes may use",
                                 vertices, vertices - left));
  return shares;
}

}  // namespace huddle
