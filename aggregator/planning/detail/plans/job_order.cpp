#include "aggregator/planning/detail/plans/job_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/formats/plan/step_order.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

std::string name_of_step(const OutcomeRun& run) {
  return shortened(run.launched.path.empty() ? run.program : run.launched.name());
}

bool is_other_program(const OutcomeRun& run, const LaunchedProgram& program) {
  if (program.path.empty()) return false;
  if (run.launched.path.empty()) return !run.program.empty() && run.program != program.name();
  return !same_program(run.launched, program);
}

}  // namespace

JobOrder order_of_job(const PlanRequest& request, const std::vector<Samples>& programs,
                      const StepSurvey& survey) {
  JobOrder order;
  order.grouping = request.grouping;
  if (order.grouping == Grouping::kRankOrder) return order;  // an srun of its own, the only step
  const LaunchedProgram program = programs.front().profiles.front().program();
  const auto note = [&](const std::string& name, std::uint32_t tasks) {
    if (!order.obstacle)
      order.obstacle = {.kind = Obstacle::Kind::kAlsoRuns,
                        .name = name.empty() ? "a step" : name,
                        .tasks = tasks};
  };
  for (const Outcome& step : survey.steps) {
    const OutcomeRun& run = *step.run;
    const std::uint32_t tasks = run.tasks.value_or(request.ranks);
    if (tasks == 1 || !run.placed_by.empty()) continue;
    const bool has_others = tasks != request.ranks;
    if (has_others && std::ranges::find(order.other_tasks, tasks) == order.other_tasks.end())
      order.other_tasks.push_back(tasks);
    if (has_others || is_other_program(run, program)) note(name_of_step(run), tasks);
  }
  if (programs.size() > 1)
    note(shortened(programs[1].profiles.front().program().name()), request.ranks);
  if (order.obstacle) order.grouping = Grouping::kRankOrder;
  return order;
}

std::vector<std::uint32_t> consecutive_ranks(const predict::Reference& reference) {
  std::vector<std::uint32_t> on;
  for (const predict::Location& at : reference.locations) {
    if (at.node == on.size())
      on.push_back(0);
    else if (at.node + 1 != on.size())
      return {};
    ++on.back();
  }
  return on;
}

Obstacle parted_steps(const Plan& plan, const JobOrder& order) {
  using enum Obstacle::Kind;
  if (order.keeps_nodes_whole() && plan.submitted_ranks.empty()) {
    Obstacle unordered = order.obstacle;
    unordered.kind = kAlsoRunsUnordered;
    return unordered;
  }
  for (const std::uint32_t tasks : order.other_tasks) {
    const auto nodes = nodes_of_step(plan, tasks);
    if (!nodes || !shares_as_submitted(plan, tasks)) return {.kind = kStepSpread, .tasks = tasks};
    if (!has_room(plan, *nodes, 1)) return {.kind = kStepCrowded, .tasks = tasks};
  }
  return {};
}

}  // namespace huddle::planning
