#pragma once

#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Gives ranks that wait for others a lower frequency than the plan's, where that takes less
/// energy (or energy x time, as the objective says) and no more than 1 % of time, within the bound;
/// rank_frequencies.hpp says how far. The plan's prediction and reason change with it. Leaves a
/// plan alone that names no frequency, one for least time, and one whose ranks have no slack or
/// whose cores' power is unknown. Slack that a trace told goes before what phases let guess.
/// `profile`: the run that the plan was made from, at the nominal
/// frequency; `slots`: the node as its ranks see it; `options`: those of the recommendation.
void set_slack_frequencies(Plan& plan, const Profile& profile, const Machine& machine,
                        const NodeTopology& slots, const RecommendationOptions& options);

}  // namespace huddle
