#pragma once

// The layout that slowdowns are measured against.

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/predict/pattern/placement.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// The layout that a slowdown is measured against, without Huddle's help, so that its ranks are in
/// natural order.
struct Reference {
  /// The pattern's name.
  std::string pattern;
  std::uint32_t ranks_per_node = 0;
  std::uint32_t nodes = 0;
  /// The location of each rank.
  std::vector<Location> locations;
};

/// The layout that a complete profile was measured on. Its pattern is read from where the ranks
/// were bound; ranks that were free to run anywhere on a node count as spread widest. Throws
/// UsageError if a node of this topology has fewer cores than it had ranks.
Reference measured_reference(const Profile& profile, const commgraph::NodeTopology& node);

/// `ranks` ranks on a pattern, consecutive ranks together.
Reference reference_on(const Pattern& pattern, std::uint32_t ranks);

/// `ranks` ranks spread evenly over `nodes` nodes, widest inside each (what Slurm gives with
/// --ntasks-per-node; without it, Slurm may fill the first nodes and leave one rank for each other
/// one). Throws UsageError if they do not fit, or if there are more nodes than ranks.
Reference reference_over(std::uint32_t nodes, std::uint32_t ranks,
                         const commgraph::NodeTopology& node);

}  // namespace huddle::predict
