#pragma once

#include <cstdint>
#include <string>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// 2 packages x 2 dies x 2 cores, PU i is core i.
commgraph::NodeTopology small_node();

/// A machine of such nodes whose links cost, innermost first, 1, 2, 3 and 4 s a message and carry
/// 10, 5, 2 and 1 bytes a second; it has no known number of nodes and no known memory.
Machine slow_machine();

/// A complete run of `ranks` ranks, `ranks_per_node` of them a node, rank order, each bound to a
/// core of small_node(), the cores of a node in order; no messages, `computation` s outside MPI and
/// none inside.
Profile run_of(std::uint32_t ranks, std::uint32_t ranks_per_node, double computation_s = 100);

/// Adds messages that `sender` sent to `receiver`.
void add_messages(Profile& profile, std::uint32_t sender, std::uint32_t receiver,
                  std::uint64_t messages, std::uint64_t bytes);

}  // namespace huddle
