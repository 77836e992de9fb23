#include "aggregator/recommend/detail/rank_order.hpp"

#include <algorithm>

#include "profiles/formats/plan/step_order.hpp"

namespace huddle::recommend {
namespace {

// The number of ranks on each node where one gets no more than `most` of them, which all groups fit
// in.
std::vector<std::uint32_t> filled_up_to(std::uint32_t most,
                                        const std::vector<std::uint32_t>& groups) {
  std::vector<std::uint32_t> on;
  for (const std::uint32_t group : groups) {
    if (on.empty() || on.back() + group > most) on.push_back(0);
    on.back() += group;
  }
  return on;
}

// On as few nodes as if each were filled, and no fuller than that takes.
std::vector<std::uint32_t> evenly_filled(std::uint32_t cores_per_node,
                                         const std::vector<std::uint32_t>& groups) {
  const std::size_t nodes = filled_up_to(cores_per_node, groups).size();
  std::uint32_t low = std::ranges::max(groups);
  std::uint32_t high = cores_per_node;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (filled_up_to(middle, groups).size() <= nodes)
      high = middle;
    else
      low = middle + 1;
  }
  return filled_up_to(high, groups);
}

}  // namespace

std::optional<std::vector<std::uint32_t>> cores_in_rank_order(
    std::uint32_t ranks, std::uint32_t cores_per_node, const std::vector<std::uint32_t>& together) {
  std::vector<std::uint32_t> on;
  if (together.empty()) {
    const std::uint32_t nodes = (ranks - 1) / cores_per_node + 1;
    on = block_distribution(ranks, std::vector<std::uint32_t>(nodes, cores_per_node));
  } else {
    if (std::ranges::max(together) > cores_per_node) return std::nullopt;
    on = evenly_filled(cores_per_node, together);
  }
  std::vector<std::uint32_t> cores;
  cores.reserve(ranks);
  for (std::size_t node = 0; node < on.size(); ++node)
    for (std::uint32_t slot = 0; slot < on[node]; ++slot)
      cores.push_back(static_cast<std::uint32_t>(node) * cores_per_node + slot);
  return cores;
}

}  // namespace huddle::recommend
