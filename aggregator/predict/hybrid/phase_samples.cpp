#include "aggregator/predict/hybrid/phase_samples.hpp"

#include <algorithm>

namespace huddle {

std::vector<TeamConfiguration> published_samples(const TeamCores& node, Hertz second_clock,
                                                 bool packed) {
  const std::uint32_t all = std::max(node.packages * node.cores_per_package, 1U);
  const auto with = [&](std::uint32_t cores, std::uint32_t packages, Hertz clock) {
    return TeamConfiguration{packed ? all : cores, cores, packages, clock};
  };
  const std::uint32_t half = std::max(all / 2, 1U);
  const std::uint32_t needed =
      std::max((half + node.cores_per_package - 1) / std::max(node.cores_per_package, 1U), 1U);
  if (needed < node.packages && half >= node.packages)
    return {with(all, node.packages, node.top_clock), with(half, node.packages, second_clock),
            with(half, needed, second_clock)};
  return {with(all, node.packages, node.top_clock), with(half, needed, second_clock),
          with(std::max(all / 4, 1U), 1, second_clock)};
}

}  // namespace huddle
