#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::test {

/// The number of vertices in each of `parts` parts. Throws std::out_of_range if there is another
/// part.
std::vector<std::uint32_t> part_sizes(std::span<const std::uint32_t> part_of, std::size_t parts);

/// The weight between parts, each edge once.
std::uint64_t cut(const commgraph::GraphView& graph, std::span<const std::uint32_t> part_of);

/// Sizes that sum to `vertices`; some may be 0.
std::vector<std::uint32_t> random_sizes(std::mt19937& random, std::uint32_t vertices,
                                        std::size_t parts);

}  // namespace huddle::test
