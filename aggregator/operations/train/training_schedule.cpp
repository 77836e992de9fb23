#include "aggregator/operations/train/training_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle::operations {
namespace {

double distance_of(const predict::Pattern& a, const predict::Pattern& b) {
  const auto part = [](std::uint32_t x, std::uint32_t y) {
    return std::abs(std::log(static_cast<double>(x) / static_cast<double>(y)));
  };
  const auto numa = [](const predict::Pattern& pattern) {
    return std::max(pattern.numa_nodes, 1U);
  };
  return part(a.packages, b.packages) + part(numa(a), numa(b)) + part(a.dies, b.dies) +
         part(a.cores, b.cores) + part(a.pus, b.pus);
}

double distance_to_nearest(const predict::Pattern& pattern,
                           const std::vector<predict::Pattern>& others) {
  double least = std::numeric_limits<double>::infinity();
  for (const predict::Pattern& other : others) least = std::min(least, distance_of(pattern, other));
  return least;
}

}  // namespace

std::vector<predict::Pattern> informative_patterns(const commgraph::NodeTopology& node,
                                                   std::size_t most) {
  std::vector<predict::Pattern> left = predict::patterns_of(node);
  std::vector<predict::Pattern> chosen;
  const auto choose = [&](predict::Pattern pattern) {
    if (chosen.size() < most && std::erase(left, pattern) > 0) chosen.push_back(pattern);
  };
  const predict::Pattern full = predict::full_pattern(node);
  const std::uint32_t numa = std::min(full.numa_nodes, 1U);
  choose({1, 1, 1, 1, numa});
  choose(full);
  choose({1, 1, full.cores, 1, numa});
  choose({full.packages, full.dies, 1, 1, full.numa_nodes});
  if (full.pus > 1) choose({full.packages, full.dies, full.cores, 1, full.numa_nodes});
  while (chosen.size() < most && !left.empty())
    choose(*std::max_element(
        left.begin(), left.end(), [&](const predict::Pattern& a, const predict::Pattern& b) {
          return distance_to_nearest(a, chosen) < distance_to_nearest(b, chosen);
        }));
  return chosen;
}

std::vector<TrainingPattern> place_training(const std::vector<predict::Pattern>& patterns,
                                            const commgraph::NodeTopology& node,
                                            std::uint32_t nodes) {
  std::vector<TrainingPattern> placed;
  for (const predict::Pattern& pattern : patterns) {
    const std::uint32_t each = pattern.ranks_per_node();
    const auto cores = static_cast<std::uint32_t>(node.cores.size());
    // A node with fewer ranks than the pattern says would be on another pattern.
    const std::uint32_t used = std::clamp(cores / each, 1U, nodes);
    placed.push_back({pattern, used, used * each});
  }
  return placed;
}

Seconds seconds_of_a_run(Seconds budget, std::size_t runs) {
  constexpr double kStartAndEnd = 0.7;
  constexpr double kOnAverageSlower = 1.6;
  constexpr double kLeast = 0.2;
  constexpr double kMost = 10;
  const double each = budget.value / static_cast<double>(std::max<std::size_t>(runs, 1));
  return {std::clamp((each - kStartAndEnd) / kOnAverageSlower, kLeast, kMost)};
}

}  // namespace huddle::operations
