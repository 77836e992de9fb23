#pragma once

#include "aggregator/choice/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan.hpp"
#include "profiles/formats/profile.hpp"

namespace huddle {

/// The plan that carries out a recommendation's chosen pattern: rank by rank, the node and the PUs.
/// `profile` is the first one that the recommendation was made from. Throws Error if no pattern was
/// feasible. `made_from` is left empty.
Plan plan_of(const Recommendation& recommendation, const Profile& profile, const NodeTopology& node,
             Grouping grouping);

/// How many PUs a node must have for a plan on such nodes.
std::uint32_t pus_of(const NodeTopology& node);

}  // namespace huddle
