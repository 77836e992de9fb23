#pragma once

#include <optional>
#include <string>

#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::recommend {

/// The plan that carries out a recommendation's chosen pattern: rank by rank, the node and the PUs.
/// `profile` is the first one that the recommendation was made from. Throws Error if no pattern was
/// feasible. `made_from` is left empty.
Plan plan_of(const Recommendation& recommendation, const Profile& profile,
             const commgraph::NodeTopology& node, Grouping grouping);
/// The same with Recommendation::by_load, which must be there.
Plan plan_by_load(const Recommendation& recommendation, const Profile& profile,
                  const commgraph::NodeTopology& node, Grouping grouping);

/// The better one of two plans of one pattern, both with their slack frequencies set:
/// `by_load`, where ranks traded places for their loads, if that serves the objective better, or if
/// clocks will follow loads while it runs, lower by at least 5 % of the sum of their cubes, and it
/// takes next to no more time. `saves`: Recommendation::by_load_saves.
bool takes_by_load(const Plan& plan, const Plan& by_load, double saves,
                   const ChoiceCriteria& criteria);

/// Gives ranks that wait for others a lower frequency than the plan's, where that takes less
/// energy (or energy x time, as the objective says) and no more than 1 % of time, within the bound;
/// rank_frequencies.hpp says how far. The plan's prediction and reason change with it. Leaves a
/// plan alone that names no frequency, one for least time, and one whose ranks have no slack or
/// whose cores' power is unknown. Slack that was found in a trace goes before what phases suggest.
/// `profile`: the run that the plan was made from, at the nominal
/// frequency; `slots`: the node as its ranks see it; `criteria`: those of the recommendation.
void set_slack_frequencies(Plan& plan, const Profile& profile, const Machine& machine,
                           const commgraph::NodeTopology& slots, const ChoiceCriteria& criteria);

/// One sentence: what the plan does, and what that costs and saves.
std::string reason_of(const Plan& plan);

/// The energy that the job takes more on the chosen pattern's nodes than on the reference's: -0.71
/// is 71 % less. Nothing if either is unknown.
std::optional<double> energy_change(const PatternForecast& chosen,
                                    const PatternForecast& reference);

/// The same of what the machine needs; nothing as well where other jobs get the unused nodes.
std::optional<double> machine_energy_change(const PatternForecast& chosen,
                                            const PatternForecast& reference);

/// The PUs that a node must have for a plan on such nodes.
std::uint32_t pus_of(const commgraph::NodeTopology& node);

}  // namespace huddle::recommend
