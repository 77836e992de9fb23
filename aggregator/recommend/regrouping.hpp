#pragma once

// A choice of which ranks of a job share a node, or a die of its one node, where its nodes, and how
// many ranks each of them has, must stay.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/predict/pattern/rank_shape.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::recommend {

/// A placement of a profile's ranks on the nodes that they were measured on.
struct Regrouping {
  /// With Plan::keeps_nodes: each node holds as many ranks as it did. Nothing is predicted but
  /// bytes, so its times are 0, and its patterns are the measured one.
  Plan plan;
  /// The kind of part that ranks come to share: "nodes", "packages" or "dies".
  std::string_view parts = "nodes";
  /// Bytes between such parts, by the profile's messages and an estimate of its collectives
  /// (collective_traffic.hpp): as it was measured, and with the plan; never more with it.
  std::uint64_t measured_bytes = 0;
  std::uint64_t planned_bytes = 0;
  /// The collectives that neither of them counts, joined by commas; empty if there are none.
  std::string not_counted;

  /// The share of the bytes between parts that the plan saves; 0 if there are none.
  [[nodiscard]] double saved() const {
    if (measured_bytes == 0) return 0;
    return 1 - static_cast<double>(planned_bytes) / static_cast<double>(measured_bytes);
  }
};

/// Groups the ranks of a complete profile so that few bytes go between nodes. `node`:
/// slots_of_node() for ranks of that shape. `threads`: how many may work; it changes the time,
/// never the result. `made_from` and `reason` are left empty. Throws UsageError if a node of this
/// topology has fewer cores than there were ranks on one.
Regrouping regroup(const Profile& profile, const commgraph::NodeTopology& node,
                   const predict::RankShape& rank, unsigned threads);

/// Arranges the ranks of a complete profile of one node so that ranks that talk share its dies and
/// packages: the dies that they use, and how many ranks each of them has, stay, so that ranks slow
/// each other as they did. Each rank's PUs in the plan are those of one core, or slot, of its own.
/// Ranks that were all free to run anywhere count as spread widest, in rank order. Parameters as
/// for regroup(). Nothing if only some ranks were bound to a die, if the dies in use did not have
/// as many ranks each, or if a free rank kept more cores busy than are its own.
std::optional<Regrouping> arrange_on_node(const Profile& profile,
                                          const commgraph::NodeTopology& node,
                                          const predict::RankShape& rank, unsigned threads);

}  // namespace huddle::recommend
