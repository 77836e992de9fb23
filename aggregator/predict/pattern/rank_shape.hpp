#pragma once

#include <cstdint>
#include <string>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"

namespace huddle {

/// What a rank takes of a node if it has several cores, as those of programs with threads have. A
/// rank that fits in a die is in one; else it has whole dies of a package to itself, or whole
/// packages, and spreads its cores evenly over them.
struct RankShape {
  std::uint32_t cores = 1;
  /// In each package that it is on, how many dies; 1 if it may share a die.
  std::uint32_t dies = 1;
  std::uint32_t packages = 1;

  [[nodiscard]] bool shares_die() const { return dies == 1 && packages == 1; }

  friend bool operator==(const RankShape&, const RankShape&) = default;
};

/// That of a rank with `cores` cores. Throws UsageError if they are 0 or more than the node has.
RankShape shape_of_rank(std::uint32_t cores, const NodeTopology& node);

/// The node as ranks of this shape see it: its "cores" are slots, each the cores of one rank, and
/// its dies and packages are those that slots lie in. Cores that are too few for another rank are
/// NodeTopology::idle. Patterns of it count slots, and so Pattern::ranks_per_node() is right. The
/// same node for ranks of one core.
NodeTopology slots_of_node(const NodeTopology& node, const RankShape& rank);

/// How a pattern of slots is called: packages, dies in each, and cores in each die that ranks use,
/// as for ranks of one core. (Where a rank's cores can't be spread evenly, the most in one die.)
std::string name_on_cores(const Pattern& slots, const RankShape& rank);

/// The other way round. "1:1:1" is one rank a node, whatever that takes. Throws UsageError if the
/// cores are not those of whole ranks.
Pattern slots_named(const Pattern& on_cores, const RankShape& rank);

}  // namespace huddle
