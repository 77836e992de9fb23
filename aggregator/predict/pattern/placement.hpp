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

namespace huddle::predict {

/// Where a rank runs, as far as the distance to others goes.
struct Location {
  /// For a rank that may run on several packages (or dies, or cores).
  static constexpr std::uint32_t kSeveral = std::numeric_limits<std::uint32_t>::max();
  /// For a rank on nodes without NUMA nodes between packages and dies.
  static constexpr std::uint32_t kNone = kSeveral - 1;

  std::uint32_t node = 0;
  std::uint32_t package = 0;
  /// Within its package.
  std::uint32_t die = 0;
  /// Within its die. Only whether two ranks have the same one matters.
  std::uint32_t core = kSeveral;
  /// Within its package; known wherever the die is.
  std::uint32_t numa_node = kNone;
};

/// The innermost level that both are sure to share.
Distance distance_between(const Location& a, const Location& b);

/// The locations of ranks on the cores of hierarchy_of(pattern, nodes): `core_of[rank]` is a core
/// of it.
std::vector<Location> locations_on(const Pattern& pattern,
                                   const std::vector<std::uint32_t>& core_of);

/// Where the ranks of a complete profile ran, on nodes of this topology. PUs that the topology
/// lacks (a profile from another machine) count as several. A rank's core is known if it was bound
/// to a part of its PUs: two that were bound to all of one took turns, and did not share it.
std::vector<Location> measured_locations(const Profile& profile,
                                         const commgraph::NodeTopology& node);

/// Outermost level first.
void sort_by_place(std::vector<Location>& locations);

/// The smallest pattern that covers what the ranks use of each node. `sorted`: as sort_by_place()
/// leaves them.
Pattern covering_pattern(const std::vector<Location>& sorted);

/// Numbers of ranks that share a rank's die, its package and its node, itself included.
struct Sharing {
  std::uint32_t die = 1;
  std::uint32_t package = 1;
  std::uint32_t node = 1;
  /// Its core, each on a PU of its own.
  std::uint32_t core = 1;
  /// Its NUMA node; 0 on nodes that have none between packages and dies, or if it is not known.
  std::uint32_t numa_node = 0;

  friend auto operator<=>(const Sharing&, const Sharing&) = default;
};

/// True if a rank that shares like `sharing` shares with no more ranks than one that shares like
/// `other`, on any level.
bool at_most_as_dense(const Sharing& sharing, const Sharing& other);

/// Returns a measure of how unlike two ways to share are: the product, over the levels that both
/// know, of how many times more ranks share in one of them than in the other. 1 or more.
double times_apart(const Sharing& a, const Sharing& b);

/// The sharing of a rank on a node that the pattern fills.
Sharing sharing_of(const Pattern& pattern);

/// The pattern that gives each rank of a node this; nothing if dies or packages must differ for it.
std::optional<Pattern> pattern_with(const Sharing& sharing);

/// Returns the sharing of each rank; nothing if a rank is on several packages or dies, or may be.
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

}  // namespace huddle::predict
