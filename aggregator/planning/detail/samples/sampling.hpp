#pragma once

// The layout of a measured run whose nodes are filled in different ways, so that one run gives
// samples of several patterns.

#include <cstdint>
#include <optional>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::planning {

/// The pattern of each node of a run that is measured to learn how a program computes on many
/// patterns at once: its nodes are filled in different ways, one as densely as can be, the others
/// as unlike it, each other and one rank a node as the ranks suffice for. As the ranks of a program
/// do the same thing, and another run shows how much of it each does, every node is a sample of its
/// pattern (run_parts.hpp). The ranks of the last node may be fewer than its pattern's.
///
/// Uses at most `most_nodes` nodes with at most `most_ranks_per_node` ranks on each; empty if there
/// is no layout with two patterns or more, because the ranks are too few or the nodes allow for one
/// pattern only.
std::vector<predict::Pattern> sampling_layout(const commgraph::NodeTopology& node,
                                              std::uint32_t ranks, std::uint32_t most_nodes,
                                              std::uint32_t most_ranks_per_node = UINT32_MAX);

/// Where the ranks go: consecutive ranks on the slots of one node after the other, `together` being
/// how many each stay on one node. A node that has no room for the next ones is left out, and what
/// is left goes on further nodes like the first one, up to `most_nodes`: `nodes` becomes those that
/// are used. Fewer places than ranks if there is no room for all.
std::vector<RankPlace> places_on(std::vector<predict::Pattern>& nodes,
                                 const commgraph::NodeTopology& node,
                                 const std::vector<std::uint32_t>& together,
                                 std::uint32_t most_nodes);

/// The pattern of each node of a second measured run where nodes are shared with other jobs, which
/// take the same number of ranks each, on cores that Slurm chooses: as many ranks a node as can be,
/// at most `most_ranks_per_node`. Empty if that takes `most_nodes` nodes or more.
std::vector<predict::Pattern> even_layout(const commgraph::NodeTopology& node, std::uint32_t ranks,
                                          std::uint32_t most_nodes,
                                          std::uint32_t most_ranks_per_node = UINT32_MAX);

/// Room for a second measured run.
struct SampleRoom {
  std::uint32_t nodes = 1;
  std::uint32_t ranks_per_node = UINT32_MAX;
  /// True if the job's nodes are shared with others, so that they are filled alike (even_layout()).
  bool shared = false;
};

/// A second measured run: its plan, of which nothing is predicted (its times are 0), and the
/// pattern of each node.
struct SamplingPlan {
  Plan plan;
  std::vector<predict::Pattern> nodes;
};

/// The second measured run of the program that `profile` is of. `node`: slots_of_node() for ranks
/// of that shape. `together`: how many consecutive ranks each stay on one node; empty: none has to
/// stay with another one. Nothing if there is no such layout, also because ranks need so much
/// memory.
std::optional<SamplingPlan> sampling_plan(const Profile& profile, const Machine& machine,
                                          const commgraph::NodeTopology& node,
                                          const SampleRoom& room,
                                          const predict::RankShape& rank = {},
                                          const std::vector<std::uint32_t>& together = {});

}  // namespace huddle::planning
