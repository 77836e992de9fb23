#include "aggregator/planning/detail/answers/plan_answers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aggregator/planning/background_task.hpp"
#include "aggregator/planning/detail/answers/fewer_nodes.hpp"
#include "aggregator/planning/detail/plans/job_plans.hpp"
#include "aggregator/planning/detail/samples/unknown_contention.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/prediction_text.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/store/retention.hpp"
#include "profiles/store/store_entrance.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// "packed onto 2 of 8 nodes ...", and in front of it that it is a trial.
std::string packed_as(const Plan& plan) {
  std::string_view reason = plan.reason;
  const bool trial = plan.trial && reason.starts_with(kTrialPrefix);
  if (trial) reason.remove_prefix(kTrialPrefix.size());
  return fmt::format("{}packed onto {}", trial ? kTrialPrefix : "", reason);
}

Decision apply(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  Decision decision{
      Decision::Action::kApply,   packed_as(plan),    file.string(), plan.chosen.nodes,
      plan.chosen.ranks_per_node, plan.chosen.pattern};
  decision.node_shape = plan.node_shape;
  decision.teams = plan.teams_text();
  decision.teams_reason = plan.teams_reason;
  decision.teams_programs = plan.teams_programs;
  decision.frequency = limits_for(plan, request);
  decision.slowdown = plan.chosen.slowdown;
  if (const std::optional<double> change = recommend::energy_change(plan.chosen, plan.reference))
    decision.energy_saving = -*change;
  return decision;
}

// Where its cores run slower, and what that is predicted to cost.
void add_frequency(Decision& decision, const Plan& plan, const PlanRequest& request) {
  decision.frequency = limits_for(plan, request);
  if (!decision.frequency) return;
  decision.slowdown = plan.chosen.slowdown;
  decision.reason += fmt::format("; at {}, {}", text_of(*plan.frequency),
                                 recommend::prediction_text(plan.chosen, plan.reference));
  if (const std::optional<double> change = recommend::energy_change(plan.chosen, plan.reference))
    decision.energy_saving = -*change;
}

Decision keep_nodes(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  Decision decision{Decision::Action::kApply,
                    fmt::format("kept on {}", plan.reason),
                    file.string(),
                    plan.chosen.nodes,
                    plan.chosen.ranks_per_node,
                    plan.chosen.pattern,
                    true};
  decision.teams = plan.teams_text();
  decision.teams_reason = plan.teams_reason;
  decision.teams_programs = plan.teams_programs;
  if (plan.frequency) add_frequency(decision, plan, request);
  return decision;
}

// Fewer nodes gain nothing. Where the best pattern is the one that the job has anyway, its cores
// may still run slower.
Decision keep_layout(const Plan& plan, const PlanRequest& request) {
  Decision decision;
  decision.reason = words_of(held_back(plan) ? unknown_contention(request)
                                             : no_fewer_nodes(request, predictions_of(plan)));
  const bool as_submitted =
      plan.chosen.nodes == plan.reference.nodes && plan.chosen.pattern == plan.reference.pattern;
  // A choice by a run as submitted holds for this one, whatever the pattern.
  decision.teams_reason = plan.teams_reason;
  decision.teams_programs = plan.teams_programs;
  if (as_submitted || !plan.teams_reason.empty()) decision.teams = plan.teams_text();
  // By rank would need the plan's own placement.
  if (!as_submitted || !plan.frequency || !plan.rank_frequencies.empty()) return decision;
  add_frequency(decision, plan, request);
  return decision;
}

}  // namespace

Decision left_by(const PlanVerdict& verdict, const PlanRequest& request) {
  Decision decision;
  decision.reason = words_of(verdict, request);
  decision.compared = runs_as_submitted(verdict.state);
  return decision;
}

JobAnswer answer_with(Plan plan, PlanState state, const fs::path& file,
                      const PlanRequest& request) {
  JobAnswer answer;
  if (plan.keeps_nodes) {
    answer.decision = keep_nodes(plan, file, request);
  } else if (plan.packs()) {
    answer.decision = apply(plan, file, request);
    answer.decision.unconfirmed = state == PlanState::kUnconfirmed;
    answer.decision.untried =
        state == PlanState::kUntried || (answer.decision.unconfirmed && request.withdraw);
    // A wrong plan is to slow one job down, not all that are submitted until that one ends.
    if (answer.decision.untried) answer.decision.claim = store::claim_beside(file).string();
  } else {
    answer.decision = keep_layout(plan, request);
  }
  answer.plan = std::move(plan);
  return answer;
}

void keep_plan_in_use(const store::Store& store, const Plan& plan, const fs::path& file) {
  std::error_code unknown;
  const fs::file_time_type used = fs::last_write_time(file, unknown);
  if (!unknown && fs::file_time_type::clock::now() - used < std::chrono::hours(24)) return;
  const auto keep = [&] {
    const store::StoreEntrance entrance(store, store::StoreEntrance::Clock::now());
    if (!entrance.held()) return std::string();
    store::keep_in_use(file);
    for (const Plan::Companion& companion : plan.companions)
      store::keep_in_use(file.parent_path() / companion.file);
    return std::string();
  };
  try {
    run_detached(keep, std::chrono::milliseconds(0));
  } catch (const Error&) {  // no process can be started: tomorrow, then
  }
}

}  // namespace huddle::planning
