#pragma once

// Nodes whose cores take several ranks, one on each PU.

#include "commgraph/topology/node_topology.hpp"

namespace huddle::commgraph {

/// The node as ranks of one PU see it: its "cores" are the PUs of its cores, core by core, and
/// NodeTopology::pus_per_core says how many each has. Patterns of it may have several ranks on a
/// core. The same node where cores have one PU. Throws UsageError if its cores do not all have as
/// many PUs.
NodeTopology pus_of_node(const NodeTopology& node);

}  // namespace huddle::commgraph
