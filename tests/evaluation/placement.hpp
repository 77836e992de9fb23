#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "tests/evaluation/contention.hpp"

namespace huddle::evaluation {

/// Where a rank runs; package and die by number in their parent, a NUMA node in its package, and a
/// core in its die.
struct Place {
  std::uint32_t node = 0;
  std::uint32_t package = 0;
  std::uint32_t die = 0;
  PuSet pus;
  std::uint32_t core = 0;
  /// Nothing if NUMA nodes do not part packages.
  std::optional<std::uint32_t> numa_node = {};
};

/// The places of ranks, by rank.
using Placement = std::vector<Place>;

/// Consecutive ranks together, as a job without Huddle's grouping runs.
Placement in_rank_order(const predict::Pattern& pattern, const commgraph::NodeTopology& node,
                        std::uint32_t ranks);

/// Consecutive ranks together, each node filled by a pattern of its own.
Placement filled(const std::vector<predict::Pattern>& nodes, const commgraph::NodeTopology& node,
                 std::uint32_t ranks);

/// As the mapper that recommendations use would place the program whose traffic `profile` holds.
Placement as_mapped(const predict::Pattern& pattern, const commgraph::NodeTopology& node,
                    const Profile& profile);

/// The sharers of each rank, by rank.
std::vector<Sharers> sharers_of(const Placement& placement);

/// The part of a cluster that is in use.
struct Occupied {
  std::uint32_t nodes = 0;
  std::uint32_t packages = 0;
  std::uint32_t dies = 0;
  std::uint32_t cores = 0;
};
Occupied occupied_by(const Placement& placement);

}  // namespace huddle::evaluation
