#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan.hpp"

namespace huddle {

/// The pattern of each node of a run that is measured to learn how a program computes on many
/// patterns at once: its nodes are filled in different ways, a few full, others with half of the
/// dies or with half of each die's cores. As the ranks of a program do the same thing, and another
/// run tells how much of it each does, every node is a sample of its pattern (run_parts.hpp). The
/// ranks of the last node may be fewer than its pattern's.
///
/// Uses at most `most_nodes` nodes; empty if there is no layout with two patterns or more, because
/// the ranks are too few or the nodes allow for one pattern only.
std::vector<Pattern> sampling_layout(const NodeTopology& node, std::uint32_t ranks,
                                     std::uint32_t most_nodes);

/// Where the ranks go: consecutive ranks on the slots of one node after the other.
std::vector<RankPlace> places_on(const std::vector<Pattern>& nodes, const NodeTopology& node,
                                 std::uint32_t ranks);

}  // namespace huddle
