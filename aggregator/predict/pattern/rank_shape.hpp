#pragma once

// Ranks of several cores, as programs with threads have: how many cores they use, and patterns of
// them.

#include <cstdint>
#include <optional>
#include <string>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// The part of a node that a rank of several cores takes. A rank that fits in a die is in one; else
/// it has whole dies of a package to itself, or whole packages, and spreads its cores evenly over
/// them.
struct RankShape {
  std::uint32_t cores = 1;
  /// In each package that it is on, how many dies; 1 if it may share a die.
  std::uint32_t dies = 1;
  std::uint32_t packages = 1;

  [[nodiscard]] bool shares_die() const { return dies == 1 && packages == 1; }

  friend bool operator==(const RankShape&, const RankShape&) = default;
};

/// The shape of a rank with `cores` cores. Throws UsageError if they are 0 or more than the node
/// has.
RankShape shape_of_rank(std::uint32_t cores, const commgraph::NodeTopology& node);

/// The node as ranks of this shape see it: its "cores" are slots, each the cores of one rank, and
/// its dies and packages are those that slots lie in. Cores that are too few for another rank are
/// NodeTopology::idle. Patterns of it count slots, and so Pattern::ranks_per_node() is right. The
/// same node for ranks of one core.
commgraph::NodeTopology slots_of_node(const commgraph::NodeTopology& node, const RankShape& rank);

/// The name of a pattern of slots: packages, dies in each, and cores in each die that ranks use,
/// as for ranks of one core. (Where a rank's cores can't be spread evenly, the most in one die.)
std::string name_on_cores(const Pattern& slots, const RankShape& rank);

/// The opposite of name_on_cores(). "1:1:1" is one rank a node, whatever that takes. Throws
/// UsageError if the cores are not those of whole ranks.
Pattern slots_named(const Pattern& on_cores, const RankShape& rank);

/// Returns the number of cores that a rank kept busy, mean over the ranks: CPU time by run time.
/// Nothing if the profile has no CPU times.
std::optional<double> busy_cores(const Profile& profile);

/// Returns the number of cores that each rank of a complete profile had for certain: as many each,
/// no core shared by two of a node, more than one rank on some node (one that has a node to itself
/// is often not bound at all), and more than one of them kept busy. Else 1.
std::uint32_t cores_of_each_rank(const Profile& profile, const commgraph::NodeTopology& node);

/// Why a run of a complete profile is no sample for ranks with `cores` cores each, as the end of
/// a sentence about it ("had ..."): a rank could run on fewer cores, or ranks kept more of them
/// busy. Empty if it is one. Ranks whose cores this node lacks could run on any number.
std::string why_other_cores(const Profile& profile, const commgraph::NodeTopology& node,
                            std::uint32_t cores);

}  // namespace huddle::predict
