#pragma once

#include <optional>
#include <string>

#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The plan that carries out a recommendation's chosen pattern: rank by rank, the node and the PUs.
/// `profile` is the first one that the recommendation was made from. Throws Error if no pattern was
/// feasible. `made_from` is left empty.
Plan plan_of(const Recommendation& recommendation, const Profile& profile, const NodeTopology& node,
             Grouping grouping);

/// One sentence: what the plan does, and what that costs and saves.
std::string reason_of(const Plan& plan);

/// By how much more energy the chosen pattern takes than the reference: -0.71 is 71 % less. Nothing
/// if either is unknown.
std::optional<double> energy_change(const PatternForecast& chosen,
                                    const PatternForecast& reference);

/// How many PUs a node must have for a plan on such nodes.
std::uint32_t pus_of(const NodeTopology& node);

}  // namespace huddle
