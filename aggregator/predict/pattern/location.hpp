#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Where a rank is, as far as the distance to others goes.
struct Location {
  /// A rank that may run on several packages (or dies) is on none of them for sure.
  static constexpr std::uint32_t kSeveral = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t node = 0;
  std::uint32_t package = 0;
  /// Within its package.
  std::uint32_t die = 0;
};

/// The innermost thing that both are sure to share.
Distance distance_between(const Location& a, const Location& b);

/// The locations of ranks on the cores of hierarchy_of(pattern, nodes): `core_of[rank]` is a core
/// of it.
std::vector<Location> locations_on(const Pattern& pattern,
                                   const std::vector<std::uint32_t>& core_of);

/// Where the ranks of a complete profile ran, on nodes of this topology. PUs that the topology
/// lacks (a profile from another machine) count as several.
std::vector<Location> measured_locations(const Profile& profile, const NodeTopology& node);

}  // namespace huddle
