#pragma once

#include <cstdint>

#include "commgraph/graph/collective_traffic.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::commgraph {

/// The graph of a program for mappers: more than comm_graph_of() gives, since collectives move
/// data too, and less certain, since which messages they are made of is an estimate. For reports of
/// what was counted, take comm_graph_of().
struct MappingGraph {
  CommGraph graph;
  /// Collectives that the graph does not hold.
  std::array<CollectivesLeftOut, kReasonsNotExpanded> left_out;
};

/// Edges weigh bytes or messages, both ways together. Throws Error if a weight or their sum is too
/// large for a CommGraph. Deterministic; safe from any thread, as is the function below.
MappingGraph mapping_graph_of(const Profile& profile, Weight weight);

struct TimeWeights {
  /// k of equation (4): how many ranks share a node.
  std::uint32_t ranks_per_node = 1;
  /// The most that the weights may sum to, at most 2^63 - 1. A mapping's J is below 2^64 if this is
  /// at most 2^63 / the largest distance.
  std::uint64_t most_total = (std::uint64_t{1} << 63U) - 1;
};

/// Edges weigh what it costs by predicted time not to colocate a pair: the costs of
/// colocation_cost.hpp, scaled to integers as described there. A pair's time is messages x latency
/// + bytes / bandwidth, over its messages of all sizes both ways: on one node at the slowest of the
/// distances inside it (the paper takes the worst placement), otherwise over the network. As the
/// machine document gives a latency and a bandwidth for each distance, the sums of messages and
/// bytes hold all that their size classes would.
///
/// Pairs that exchange no message have no edge, and neither have those that gain nothing if none
/// loses (cost 0). Throws Error as scaled_to_weights() and colocation_costs() do.
MappingGraph mapping_graph_by_time(const Profile& profile, const Machine& machine,
                                   const TimeWeights& weights);

}  // namespace huddle::commgraph
