#pragma once

// Where ranks run, how far they are from each other, and how many of them share a die, a package
// and a node.

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Where a rank runs, as far as the distance to others goes.
struct Location {
  /// For a rank that may run on several packages (or dies).
  static constexpr std::uint32_t kSeveral = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t node = 0;
  std::uint32_t package = 0;
  /// Within its package.
  std::uint32_t die = 0;
};

/// The innermost level that both are sure to share.
Distance distance_between(const Location& a, const Location& b);

/// The locations of ranks on the cores of hierarchy_of(pattern, nodes): `core_of[rank]` is a core
/// of it.
std::vector<Location> locations_on(const Pattern& pattern,
                                   const std::vector<std::uint32_t>& core_of);

/// Where the ranks of a complete profile ran, on nodes of this topology. PUs that the topology
/// lacks (a profile from another machine) count as several.
std::vector<Location> measured_locations(const Profile& profile, const NodeTopology& node);

/// How many ranks share a rank's die, its package and its node, itself included.
struct Sharing {
  std::uint32_t die = 1;
  std::uint32_t package = 1;
  std::uint32_t node = 1;

  friend auto operator<=>(const Sharing&, const Sharing&) = default;
};

/// Whether a rank that shares like `sharing` shares with no more ranks than one that shares like
/// `other`, on any level.
bool at_most_as_dense(const Sharing& sharing, const Sharing& other);

/// The sharing of a rank on a node that the pattern fills.
Sharing sharing_of(const Pattern& pattern);

/// The pattern that gives each rank of a node this; nothing if dies or packages must differ for it.
std::optional<Pattern> pattern_with(const Sharing& sharing);

/// By rank; nothing if a rank is on several packages or dies, or may be.
std::optional<std::vector<Sharing>> sharings_of(const std::vector<Location>& locations);

/// Ranks that share alike.
struct RankClass {
  Sharing sharing;
  /// Ascending; entries of the locations that classes_of() was given.
  std::vector<std::uint32_t> ranks;
};

/// The classes of a placement, ascending by sharing. All ranks of a full pattern are one class;
/// where the last node holds fewer, or nodes differ, there are several. Nothing as in
/// sharings_of().
std::optional<std::vector<RankClass>> classes_of(const std::vector<Location>& locations);

}  // namespace huddle
