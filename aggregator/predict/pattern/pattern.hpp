#pragma once

// Patterns: the ways to pack ranks onto a node that predictions compare.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commgraph/topology/hierarchy.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/vocabulary/pu_set.hpp"

namespace huddle::predict {

/// Numbers of packages, dies in each and cores in each die that one node's ranks use; a rank is one
/// core. "2:1:2" is 2 packages x 1 die x 2 cores, 4 ranks a node (task aggregation, the patterns of
/// section III). Deeper nodes have longer names: "2:1:2:2" has 2 ranks on each core, one on each of
/// 2 PUs, and "2:4:1:8:1" 4 NUMA nodes in each package, 1 die in each NUMA node, 8 cores in each
/// die and 1 rank on each core.
struct Pattern {
  std::uint32_t packages = 1;
  /// In each NUMA node, or in each package if `numa_nodes` is 0.
  std::uint32_t dies = 1;
  std::uint32_t cores = 1;
  /// Ranks on each core.
  std::uint32_t pus = 1;
  /// In each package; 0: it is not said to which of them its dies belong, or there are none.
  std::uint32_t numa_nodes = 0;

  [[nodiscard]] std::uint32_t ranks_per_node() const { return packages * ranks_per_package(); }
  [[nodiscard]] std::uint32_t ranks_per_package() const {
    return dies_per_package() * ranks_per_die();
  }
  [[nodiscard]] std::uint32_t ranks_per_die() const { return cores * pus; }
  [[nodiscard]] std::uint32_t dies_per_package() const {
    return numa_nodes == 0 ? dies : numa_nodes * dies;
  }
  /// Returns the number of nodes that `ranks` ranks need; the last one may hold fewer. `ranks` > 0.
  [[nodiscard]] std::uint32_t nodes_for(std::uint32_t ranks) const {
    return (ranks - 1) / ranks_per_node() + 1;
  }
  /// As long as the pattern needs: three, four or five numbers.
  [[nodiscard]] std::string name() const;

  /// Throws UsageError if `text` is not three to five numbers from 1 parted by colons.
  static Pattern parse(std::string_view text);

  friend auto operator<=>(const Pattern&, const Pattern&) = default;
};

/// The pattern that fills a node.
Pattern full_pattern(const commgraph::NodeTopology& node);

/// The smallest pattern that holds both: the larger number on each level.
Pattern holding_both(const Pattern& a, const Pattern& b);

/// True if `pattern` has no more than `other` on any level.
bool is_within(const Pattern& pattern, const Pattern& other);

/// The same pattern with all levels of the node: dies of a package become those of NUMA nodes, the
/// first of them filled first. Unchanged if they can't fill NUMA nodes evenly, or if the node has
/// no such level.
Pattern on_levels_of(const commgraph::NodeTopology& node, Pattern pattern);

/// Every pattern of a node, ascending by packages, NUMA nodes, dies, cores and PUs.
std::vector<Pattern> patterns_of(const commgraph::NodeTopology& node);

/// The pattern that spreads `ranks_per_node` ranks widest: most packages, then most NUMA nodes,
/// dies and cores, and fewest ranks a core; it may have room for a few more. Throws UsageError if a
/// node has fewer cores.
Pattern widest_pattern(const commgraph::NodeTopology& node, std::uint32_t ranks_per_node);

/// The pattern that Slurm makes of `ranks_per_node` ranks on a node that other jobs are on, too, as
/// far as can be known before: spread over packages evenly, in each on as few dies as can be, one
/// rank a core if that is to be had. Nothing if no pattern has that many ranks.
std::optional<Pattern> layout_by_slurm(const commgraph::NodeTopology& node,
                                       std::uint32_t ranks_per_node);

/// True if Slurm makes that pattern of itself for `ranks` ranks, as many on each node.
bool is_laid_out_by_slurm(const Pattern& pattern, const commgraph::NodeTopology& node,
                          std::uint32_t ranks);

/// The PUs of a pattern's cores in a node, innermost level first: the cores of the first die, of
/// the second one, ... `ranks_per_node()` entries, each all PUs of one core. Throws UsageError if
/// the node has no such pattern.
std::vector<PuSet> slots_of(const Pattern& pattern, const commgraph::NodeTopology& node);

/// `nodes` nodes that have nothing but the pattern's cores, for the mapper: core i of it is slot
/// i % ranks_per_node() of node i / ranks_per_node(). The levels are cores, dies, packages and
/// nodes, with PUs inside of cores and NUMA nodes between dies and packages where the pattern has
/// them; distances 1:10:100:1000 and so on.
commgraph::Hierarchy hierarchy_of(const Pattern& pattern, std::uint32_t nodes);

/// A machine of which only a pattern's cores are used on each node. `whole` has the pattern's
/// levels, as in hierarchy_of(). Throws UsageError if its nodes have no such pattern.
commgraph::Hierarchy part_of(const commgraph::Hierarchy& whole, const Pattern& pattern);

/// Distances of a hierarchy of cores, dies, packages and nodes: the time of a message of 8 KiB (as
/// halos of a few thousand doubles are) over each link of the machine, in ns, at least 1.
std::vector<std::uint64_t> distances_of(const Machine& machine);

}  // namespace huddle::predict
