#pragma once

// Patterns: the ways to pack ranks onto a node that predictions compare.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commgraph/topology/hierarchy.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle {

/// How many packages, dies in each and cores in each die one node's ranks use; a rank is one core.
/// "2:1:2" is 2 packages x 1 die x 2 cores, 4 ranks a node (task aggregation, the patterns of
/// section III).
struct Pattern {
  std::uint32_t packages = 1;
  std::uint32_t dies = 1;
  std::uint32_t cores = 1;

  [[nodiscard]] std::uint32_t ranks_per_node() const { return packages * dies * cores; }
  /// How many nodes `ranks` ranks need; the last one may hold fewer. `ranks` > 0.
  [[nodiscard]] std::uint32_t nodes_for(std::uint32_t ranks) const {
    return (ranks - 1) / ranks_per_node() + 1;
  }
  [[nodiscard]] std::string name() const;

  /// Throws UsageError if `text` is not three numbers from 1 parted by colons.
  static Pattern parse(std::string_view text);

  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};

/// Every pattern of a node, ascending by packages, then dies, then cores.
std::vector<Pattern> patterns_of(const NodeTopology& node);

/// The pattern that spreads `ranks_per_node` ranks widest: most packages, then most dies, then
/// fewest cores; it may have room for a few more. Throws UsageError if a node has fewer cores.
Pattern widest_pattern(const NodeTopology& node, std::uint32_t ranks_per_node);

/// The PUs of a pattern's cores in a node, innermost level first: the cores of the first die, of
/// the second one, ... `ranks_per_node()` entries, each all PUs of one core. Throws UsageError if
/// the node has no such pattern.
std::vector<PuSet> slots_of(const Pattern& pattern, const NodeTopology& node);

/// `nodes` nodes that have nothing but the pattern's cores, for the mapper: core i of it is slot
/// i % ranks_per_node() of node i / ranks_per_node(). Distances 1:10:100:1000.
Hierarchy hierarchy_of(const Pattern& pattern, std::uint32_t nodes);

/// A machine of which only a pattern's cores are used on each node. `whole` has the levels cores,
/// dies, packages and nodes. Throws UsageError if its nodes have no such pattern.
Hierarchy part_of(const Hierarchy& whole, const Pattern& pattern);

/// Distances of a hierarchy of cores, dies, packages and nodes: the time of a message of 8 KiB (as
/// halos of a few thousand doubles are) over each link of the machine, in ns, at least 1.
std::vector<std::uint64_t> distances_of(const Machine& machine);

}  // namespace huddle
