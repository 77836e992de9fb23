#include "aggregator/planning/detail/plans/kept_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "aggregator/planning/detail/plans/job_order.hpp"
#include "aggregator/planning/detail/plans/job_plans.hpp"
#include "aggregator/recommend/regrouping.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::planning {
namespace {

// Looks for a step whose ranks would not be placed by a plan. The number of ranks that a node gets
// is no obstacle: the plan has as many.
Obstacle steps_that_place_ranks(const StepSurvey& survey) {
  using enum Obstacle::Kind;
  for (const Outcome& step : survey.steps) {
    if (step.is_other_step()) continue;
    const OutcomeRun& run = *step.run;
    if (!run.step || run.program == "mpirun") return {.kind = kStartedByMpirun};
    if (run.placed_by.empty() || run.placed_by == "--nodes" || run.placed_by == "--ntasks-per-node")
      continue;
    return {.kind = kStepPlaced, .name = shortened(run.program), .by = shortened(run.placed_by)};
  }
  return {};
}

Obstacle other_nodes(const PlanRequest& request, const std::vector<Samples>& programs) {
  for (const Samples& samples : programs) {
    const std::uint32_t measured = nodes_of(samples.profiles.front());
    if (request.nodes && measured != *request.nodes)
      return {.kind = Obstacle::Kind::kOtherNodes, .count = measured};
    if (measured != nodes_of(programs.front().profiles.front()))
      return {.kind = Obstacle::Kind::kProgramsApart};
  }
  return {};
}

// Adds to the layout on these nodes the time that a job on the same pattern takes,
// and at which frequency.
void add_predictions(Plan& plan, const PlanRequest& request, const std::vector<Samples>& programs,
                     const recommend::Recommender& recommender) {
  const std::vector<Plan> packed =
      make_plans(request, programs, recommender, {request.grouping}).plans;
  if (packed.empty()) return;
  const Plan& best = packed.front();
  const bool as_submitted =
      best.chosen.nodes == best.reference.nodes && best.chosen.pattern == best.reference.pattern;
  if (request.every_pattern) {
    plan.chosen = plan.reference = best.reference;
    plan.runners_up = best.runners_up;
    if (!as_submitted) plan.runners_up.insert(plan.runners_up.begin(), best.chosen);
  }
  if (!as_submitted || !best.frequency || !best.rank_frequencies.empty()) return;
  plan.reference = best.reference;
  plan.chosen = best.chosen;
  plan.frequency = best.frequency;
}

// The ranks of one program on the nodes, or the one node, that they had.
std::optional<recommend::Regrouping> regrouped(const Profile& profile,
                                               const recommend::Recommender& recommender,
                                               bool on_one_node) {
  const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  if (on_one_node)
    return recommend::arrange_on_node(profile, recommender.slots(), recommender.rank(), threads);
  return recommend::regroup(profile, recommender.slots(), recommender.rank(), threads);
}

}  // namespace

bool stays_on_one_node(const PlanRequest& request, const Profile& measured) {
  // Without a number, nodes that are kept are kept for devices, which have cores of their own.
  return request.nodes ? request.nodes == 1U && request.keeps_nodes
                       : nodes_of(measured) == 1 && measured.ranks > 1 && !request.keeps_nodes;
}

GroupedPlans make_grouped_plans(const PlanRequest& request, const std::vector<Samples>& programs,
                                const StepSurvey& survey,
                                const recommend::Recommender& recommender) {
  if (Obstacle placed = steps_that_place_ranks(survey)) return {{}, std::move(placed)};
  if (Obstacle apart = other_nodes(request, programs)) return {{}, std::move(apart)};
  const bool on_one_node = stays_on_one_node(request, programs.front().profiles.front());
  JobOrder order;  // on one node all of its steps have that one
  if (!on_one_node) order = order_of_job(request, programs, survey);
  if (order.obstacle) {
    order.obstacle.kind = Obstacle::Kind::kInOrder;
    return {{}, std::move(order.obstacle)};
  }
  GroupedPlans grouped;
  std::string_view parts;
  double measured = 0;
  double planned = 0;
  std::set<std::string> not_counted;
  for (const Samples& samples : programs) {
    std::optional<recommend::Regrouping> regrouping =
        regrouped(samples.profiles.front(), recommender, on_one_node);
    if (!regrouping) return {{}, {.kind = Obstacle::Kind::kRanksUnbound}};
    recommend::Regrouping& found = *regrouping;
    if (found.parts != "packages" || parts.empty()) parts = found.parts;
    measured += static_cast<double>(found.measured_bytes);
    planned += static_cast<double>(found.planned_bytes);
    if (!found.not_counted.empty()) not_counted.insert(found.not_counted);
    found.plan.made_from = samples.files;
    grouped.plans.push_back(std::move(found.plan));
  }
  const double saved = measured > 0 ? 1 - planned / measured : 0;
  if (saved < kLeastSaved)
    return {{},
            {.kind = Obstacle::Kind::kNoGrouping,
             .name = std::string(parts),
             .percent = kLeastSaved * 100}};
  Plan& first = grouped.plans.front();
  first.reason =
      fmt::format("{}, ranks that talk share {}: predicted {:.0f} % fewer bytes between {}",
                  pluralize(first.chosen.nodes, "node"), parts, saved * 100, parts);
  for (const std::string& operations : not_counted)
    first.reason += fmt::format(", {} not counted", operations);
  if ((request.frequencies || request.every_pattern) && programs.size() == 1)
    add_predictions(first, request, programs, recommender);
  return grouped;
}

}  // namespace huddle::planning
