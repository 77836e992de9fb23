#include "aggregator/study/detail/packing_draws.hpp"

#include <algorithm>

namespace huddle::study {

double share_of_node_hours(const JobShape& shape, std::uint32_t fewest, const NodeSize& node,
                           ProgramContention& contention, double bound) {
  const double submitted = contention.time(busy_cores(shape, node, shape.step_nodes));
  const auto slowdown = [&](std::uint32_t nodes) {
    return contention.time(busy_cores(shape, node, nodes)) / submitted - 1;
  };
  // Time only grows with density, so the fewest nodes that keep the bound are found by halving.
  std::uint32_t good = shape.nodes;
  for (std::uint32_t low = fewest; low < good;) {
    const std::uint32_t middle = low + (good - low) / 2;
    if (slowdown(middle) <= bound)
      good = middle;
    else
      low = middle + 1;
  }
  if (good == shape.nodes) return 1;
  const double share = (1 + std::max(slowdown(good), 0.0)) * good / shape.nodes;
  return std::min(share, 1.0);
}

}  // namespace huddle::study
