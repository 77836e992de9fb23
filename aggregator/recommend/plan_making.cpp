#include "aggregator/recommend/plan_making.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "aggregator/predict/energy/unused_energy.hpp"
#include "aggregator/recommend/detail/pattern_study.hpp"
#include "aggregator/recommend/detail/rank_frequencies.hpp"
#include "aggregator/recommend/prediction_text.hpp"
#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/mapping/objective.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::recommend {
namespace {

std::string frequency_text(const Plan& plan) {
  if (!plan.frequency) return {};
  if (plan.rank_frequencies.empty()) return " at " + text_of(*plan.frequency);
  const Hertz lowest =
      *std::min_element(plan.rank_frequencies.begin(), plan.rank_frequencies.end());
  return fmt::format(" at {} to {} by rank", text_of(lowest), text_of(*plan.frequency));
}

// The least that other neighbours must save for clocks that follow loads, as a share of the sum
// over all ranks of (clock / top)^3.
constexpr double kLeastLoadGain = 0.05;

// The most that may be lost by a rule that is there to save what others lose by waiting.
constexpr double kMostAdded = 0.01;

std::vector<Hertz> frequencies_up_to(Hertz highest, const Machine& machine,
                                     const FrequencyRange& range) {
  std::vector<Hertz> found;
  for (const Hertz frequency : machine.frequencies->settable)
    if (range.holds(frequency) && frequency <= highest) found.push_back(frequency);
  return found;
}

// A number for each clock, rank by rank.
std::vector<std::uint32_t> clocks_of(const Plan& plan, const Machine& machine,
                                     const commgraph::NodeTopology& slots) {
  std::vector<std::uint32_t> clocks(plan.ranks);
  std::iota(clocks.begin(), clocks.end(), 0U);
  if (machine.frequencies->domain == ClockDomain::kCore) return clocks;
  std::map<std::uint32_t, std::uint32_t> package_of;
  for (std::uint32_t package = 0; package < slots.packages; ++package)
    for (std::uint32_t die = 0; die < slots.dies_per_package; ++die)
      for (std::uint32_t core = 0; core < slots.cores_per_die; ++core)
        for (const std::uint32_t pu : slots.core(package, die, core).pus.members())
          package_of[pu] = package;
  for (std::uint32_t rank = 0; rank < plan.ranks; ++rank) {
    const RankPlace& place = plan.placement[rank];
    clocks[rank] = place.node.value * slots.packages + package_of.at(place.pus.members().front());
  }
  return clocks;
}

// A job's script runs on its first node, and shares files there with rank 0.
void start_with_first_rank(Plan& plan) {
  const NodeIndex first = plan.placement.front().node;
  for (RankPlace& place : plan.placement)
    if (place.node == first)
      place.node = {0};
    else if (place.node == NodeIndex{0})
      place.node = first;
}

// The time that messages that go farther may add.
constexpr double kNextToNoTime = 0.0025;

Plan plan_for(const Candidate& candidate, const Recommendation& recommendation,
              const Profile& profile, const commgraph::NodeTopology& node, Grouping grouping) {
  Plan plan;
  plan.label = profile.label;
  plan.user = profile.user;
  plan.ranks = profile.ranks;
  plan.grouping = grouping;
  plan.cores_per_rank = recommendation.rank.cores;
  plan.reference = recommendation.reference_forecast;
  plan.chosen = candidate.forecast;
  plan.frequency = candidate.forecast.frequency;
  for (const Candidate& other : recommendation.candidates)
    if (&other != recommendation.chosen()) plan.runners_up.push_back(other.forecast);
  const std::vector<PuSet> slots = predict::slots_of(candidate.pattern, node);
  for (const std::uint32_t core : candidate.core_of) {
    const auto slot = static_cast<std::uint32_t>(core % slots.size());
    plan.placement.push_back({{static_cast<std::uint32_t>(core / slots.size())}, slots[slot]});
  }
  start_with_first_rank(plan);
  plan.node_pus = pus_of(node);
  plan.between_nodes.value = commgraph::weight_between_nodes(
      commgraph::comm_graph_of(profile, commgraph::Weight::kBytes),
      predict::hierarchy_of(candidate.pattern, candidate.forecast.nodes), candidate.core_of);
  plan.reason = reason_of(plan);
  return plan;
}

// The time that the plan may take longer than predicted, as a share: within the bound, all of the
// interval if that is what must be within it.
double room_of(const Plan& plan, const ChoiceCriteria& criteria) {
  const bool careful = criteria.risk == Risk::kInterval && plan.chosen.time_high;
  const Seconds time = careful ? *plan.chosen.time_high : plan.chosen.time;
  if (!(time > Seconds{0})) return 0;
  const double room = plan.reference.time.value * (1 + criteria.slowdown) / time.value - 1;
  return std::clamp(room, 0.0, kMostAdded);
}

// The power that the cores draw less than if all were at the plan's frequency. What packages and
// dies draw at mixed frequencies is not known: they count as at the plan's.
Watts saved_by(const std::vector<Hertz>& by_rank, const Plan& plan, const Machine& machine) {
  const Watts fastest = predict::power_at(machine, *plan.frequency).core;
  double watts = 0;
  for (const Hertz frequency : by_rank)
    watts +=
        plan.cores_per_rank * (fastest.value - predict::power_at(machine, frequency).core.value);
  return {watts};
}

PatternForecast slowed(const PatternForecast& forecast, const Plan& plan, double added, Watts saved,
                       const Machine& machine) {
  PatternForecast slower = forecast;
  const double stretch = 1 + added;
  const Watts drawn{forecast.energy->value / forecast.time.value};
  slower.time = forecast.time * stretch;
  slower.communication = forecast.communication + forecast.time * added;  // the others wait
  if (slower.time_low) slower.time_low = *slower.time_low * stretch;
  if (slower.time_high) slower.time_high = *slower.time_high * stretch;
  if (plan.reference.time > Seconds{0}) slower.slowdown = slower.time / plan.reference.time - 1;
  slower.energy = Joules{(drawn.value - saved.value) * slower.time.value};
  slower.machine_energy = predict::machine_energy(
      *slower.energy, *machine.power, fates_of(machine.unused_nodes, machine.nodes),
      predict::nodes_left(plan.reference.nodes, slower.nodes), slower.time);
  return slower;
}

}  // namespace

std::string reason_of(const Plan& plan) {
  return fmt::format("{} of {} nodes ({}){}, {}", plan.chosen.nodes, plan.reference.nodes,
                     plan.chosen.pattern, frequency_text(plan),
                     prediction_text(plan.chosen, plan.reference));
}

std::optional<double> energy_change(const PatternForecast& chosen,
                                    const PatternForecast& reference) {
  if (!chosen.energy || !reference.energy || reference.energy->value <= 0) return std::nullopt;
  return *chosen.energy / *reference.energy - 1;
}

std::optional<double> machine_energy_change(const PatternForecast& chosen,
                                            const PatternForecast& reference) {
  if (!chosen.machine_energy || !reference.machine_energy || reference.machine_energy->value <= 0)
    return std::nullopt;
  return *chosen.machine_energy / *reference.machine_energy - 1;
}

std::uint32_t pus_of(const commgraph::NodeTopology& node) {
  std::uint32_t highest = 0;
  for (const commgraph::NodeTopology::Core& core : node.cores)
    highest = std::max(highest, core.pus.members().back());
  for (const commgraph::NodeTopology::Idle& idle : node.idle)
    highest = std::max(highest, idle.pus.members().back());
  return highest + 1;
}

Plan plan_of(const Recommendation& recommendation, const Profile& profile,
             const commgraph::NodeTopology& node, Grouping grouping) {
  const Candidate* chosen = recommendation.chosen();
  if (chosen == nullptr)
    throw Error("no pattern is feasible, so there is no plan: see the reasons in the table");
  return plan_for(*chosen, recommendation, profile, node, grouping);
}

Plan plan_by_load(const Recommendation& recommendation, const Profile& profile,
                  const commgraph::NodeTopology& node, Grouping grouping) {
  return plan_for(*recommendation.by_load, recommendation, profile, node, grouping);
}

bool takes_by_load(const Plan& plan, const Plan& by_load, double saves,
                   const ChoiceCriteria& criteria) {
  if (!by_load.rank_frequencies.empty() && objective_of(by_load.chosen, criteria.objective) <
                                               objective_of(plan.chosen, criteria.objective))
    return true;
  return criteria.clocks_follow_loads && saves >= kLeastLoadGain &&
         by_load.chosen.time <= plan.chosen.time * (1 + kNextToNoTime);
}

void set_slack_frequencies(Plan& plan, const Profile& profile, const Machine& machine,
                           const commgraph::NodeTopology& slots, const ChoiceCriteria& criteria) {
  if (!plan.frequency || !criteria.frequencies || criteria.objective == Objective::kTime) return;
  if (!plan.chosen.energy || !(plan.chosen.time > Seconds{0})) return;
  if (!predict::power_depends_on_frequency(machine)) return;
  const std::vector<Hertz> settable =
      frequencies_up_to(*plan.frequency, machine, *criteria.frequencies);
  const double room = room_of(plan, criteria) - added_by_slack(profile);
  if (room < 0) return;
  RankFrequencies found =
      frequencies_for_ranks(slacks_of(profile), profile.run_time(), *plan.frequency, settable,
                            clocks_of(plan, machine, slots), room);
  found.added += added_by_slack(profile);
  const PatternForecast slower =
      slowed(plan.chosen, plan, found.added, saved_by(found.by_rank, plan, machine), machine);
  if (objective_of(slower, criteria.objective) >= objective_of(plan.chosen, criteria.objective))
    return;
  plan.chosen = slower;
  plan.rank_frequencies = std::move(found.by_rank);
  plan.reason = reason_of(plan);
  if (profile.wait_states) plan.reason += "; ranks' slack is that of a trace";
  if (found.beyond_frequencies && std::isfinite(found.imbalance))
    plan.reason += fmt::format(
        "; a rank computes {:.1f} times as much as another one, which frequencies can't balance",
        found.imbalance);
}

}  // namespace huddle::recommend
