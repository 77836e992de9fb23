#include "profiles/formats/plan/step_order.hpp"

#include <algorithm>

namespace huddle {

std::vector<std::uint32_t> block_distribution(std::uint32_t tasks,
                                              const std::vector<std::uint32_t>& room) {
  std::vector<std::uint32_t> on(room.size());
  if (room.empty()) return on;
  bool is_full = false;
  for (std::uint32_t round = 0; tasks > 0; ++round) {
    bool has_more = false;
    for (std::size_t node = 0; node < room.size() && tasks > 0; ++node) {
      if (round >= room[node] && !is_full) continue;
      ++on[node];
      --tasks;
      has_more = has_more || round + 1 < room[node];
    }
    is_full = is_full || !has_more;
  }
  return on;
}

std::optional<std::vector<std::uint32_t>> nodes_of_step(const Plan& plan, std::uint32_t tasks) {
  std::vector<std::uint32_t> nodes;
  if (tasks == plan.ranks) {
    for (const RankPlace& place : plan.placement) nodes.push_back(place.node.value);
    return nodes;
  }
  if (plan.submitted_ranks.empty()) return std::nullopt;
  const std::vector<std::uint32_t> on = block_distribution(tasks, plan.submitted_ranks);
  std::uint32_t first_rank = 0;
  for (std::size_t node = 0; node < on.size(); ++node) {
    nodes.insert(nodes.end(), on[node], plan.placement[first_rank].node.value);
    first_rank += plan.submitted_ranks[node];
  }
  return nodes;
}

bool shares_as_submitted(const Plan& plan, std::uint32_t tasks) {
  if (tasks == plan.ranks) return true;
  if (plan.submitted_ranks.empty()) return false;
  const std::vector<std::uint32_t> on = block_distribution(tasks, plan.submitted_ranks);
  auto rank = plan.placement.begin();
  for (std::size_t node = 0; node < on.size(); ++node) {
    const auto next = rank + plan.submitted_ranks[node];
    const bool whole =
        std::all_of(rank, next, [&](const RankPlace& place) { return place.node == rank->node; });
    if (on[node] > 0 && !whole) return false;
    rank = next;
  }
  return true;
}

bool has_room(const Plan& plan, const std::vector<std::uint32_t>& nodes_of_tasks,
              std::uint32_t cpus) {
  const auto tasks = static_cast<std::uint32_t>(nodes_of_tasks.size());
  std::vector<std::uint32_t> on(plan.chosen.nodes);
  std::uint32_t most = 0;
  for (const std::uint32_t node : nodes_of_tasks) most = std::max(most, ++on[node]);
  const std::uint64_t of_plan = std::uint64_t{plan.chosen.ranks_per_node} * plan.cores_per_rank;
  const std::uint64_t of_node = plan.node_shape ? plan.node_shape->cores : 0;
  return std::uint64_t{most} * cpus <= std::max(of_node, of_plan) ||
         most <= (tasks + plan.chosen.nodes - 1) / plan.chosen.nodes;
}

bool same_order(const Plan& a, const Plan& b) {
  return std::equal(
      a.placement.begin(), a.placement.end(), b.placement.begin(), b.placement.end(),
      [](const RankPlace& one, const RankPlace& other) { return one.node == other.node; });
}

}  // namespace huddle
