#include "aggregator/recommend/plan_making.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/mapping/objective.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency_text.hpp"

namespace huddle {
namespace {

std::string frequency_text(const Plan& plan) {
  if (!plan.frequency) return {};
  if (plan.rank_frequencies.empty()) return " at " + text_of(*plan.frequency);
  const Hertz lowest =
      *std::min_element(plan.rank_frequencies.begin(), plan.rank_frequencies.end());
  return fmt::format(" at {} to {} by rank", text_of(lowest), text_of(*plan.frequency));
}

}  // namespace

std::string reason_of(const Plan& plan) {
  std::string reason = fmt::format("{} of {} nodes ({}){}, predicted {:+.1f} % time",
                                   plan.chosen.nodes, plan.reference.nodes, plan.chosen.pattern,
                                   frequency_text(plan), plan.chosen.slowdown * 100);
  if (const std::optional<double> change = energy_change(plan.chosen, plan.reference))
    reason += fmt::format(", {:+.0f} % energy", *change * 100);
  return reason;
}

std::optional<double> energy_change(const PatternForecast& chosen,
                                    const PatternForecast& reference) {
  if (!chosen.energy || !reference.energy || reference.energy->value <= 0) return std::nullopt;
  return *chosen.energy / *reference.energy - 1;
}

std::uint32_t pus_of(const NodeTopology& node) {
  std::uint32_t highest = 0;
  for (const NodeTopology::Core& core : node.cores)
    highest = std::max(highest, core.pus.members().back());
  for (const NodeTopology::Idle& idle : node.idle)
    highest = std::max(highest, idle.pus.members().back());
  return highest + 1;
}

Plan plan_of(const Recommendation& recommendation, const Profile& profile, const NodeTopology& node,
             Grouping grouping) {
  const Candidate* chosen = recommendation.chosen();
  if (chosen == nullptr)
    throw Error("no pattern is feasible, so there is no plan: see the reasons in the table");
  Plan plan;
  plan.label = profile.label;
  plan.user = profile.user;
  plan.ranks = profile.ranks;
  plan.grouping = grouping;
  plan.cores_per_rank = recommendation.rank.cores;
  plan.reference = recommendation.reference_forecast;
  plan.chosen = chosen->forecast;
  plan.frequency = chosen->forecast.frequency;
  for (const Candidate& other : recommendation.candidates)
    if (&other != chosen) plan.runners_up.push_back(other.forecast);
  const std::vector<PuSet> slots = slots_of(chosen->pattern, node);
  for (const std::uint32_t core : chosen->core_of) {
    const auto slot = static_cast<std::uint32_t>(core % slots.size());
    plan.placement.push_back({{static_cast<std::uint32_t>(core / slots.size())}, slots[slot]});
  }
  plan.node_pus = pus_of(node);
  plan.between_nodes.value =
      weight_between_nodes(comm_graph_of(profile, Weight::kBytes),
                           hierarchy_of(chosen->pattern, chosen->forecast.nodes), chosen->core_of);
  plan.reason = reason_of(plan);
  return plan;
}

}  // namespace huddle
