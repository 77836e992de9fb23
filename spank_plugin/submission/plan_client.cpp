#include "spank_plugin/submission/plan_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/processes/planner_process.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle::submission {
namespace {

// Throws Error if the plan can't be followed.
void check_own_plan(const Plan& plan, const SubmittedJob& job, const Policy& policy) {
  const auto refuse = [&](std::string_view why) {
    throw Error(fmt::format("your plan {} {}", job.plan, why));
  };
  const PlanRequest& request = job.request;
  if (plan.keeps_nodes) refuse("is for a job that keeps its nodes for what they have");
  if (plan.ranks != request.ranks)
    refuse(fmt::format("is for {} ranks and the job has {}", plan.ranks, request.ranks));
  if (plan.chosen.nodes < request.least_nodes)
    refuse(fmt::format("takes {} node(s) and the site wants {} or more", plan.chosen.nodes,
                       request.least_nodes));
  const std::optional<double>& limit = policy.limits.slowdown;
  if (limit && plan.chosen.slowdown > *limit)
    refuse(fmt::format("predicts {} % time and the site's limit is {:.4g} %",
                       percent_text(plan.chosen.slowdown), *limit * 100));
  if (job.by == Submitter::kDirectSrun && plan.grouping != Grouping::kRankOrder)
    refuse("groups ranks, which needs nodes with names: use sbatch or salloc");
  for (const RankPlace& place : plan.placement)
    if (place.pus.size() < request.cores_per_rank)
      refuse(fmt::format("gives a rank {} PU(s) and the job asks for {} (--cpus-per-task)",
                         place.pus.size(), request.cores_per_rank));
}

}  // namespace

Decision ask_for_decision(const SubmittedJob& job, const Policy& policy) {
  return parse_decision(
      processes::output_of_planner(policy.huddle, {"--request=-", "--json"}, to_json(job.request)),
      "what huddle plan printed");
}

void say_table(SlurmClient& slurm, const SubmittedJob& job, const Policy& policy) {
  if (job.kept_layout) {
    std::string kept = "with auto it would be left as submitted: " + text_of(*job.kept_layout);
    for (const std::string& remark : job.remarks) kept += "; " + remark;
    slurm.say(kept);
  }
  PlanRequest request = job.request;
  request.every_pattern = true;
  const std::string table =
      processes::output_of_planner(policy.huddle, {"--request=-"}, to_json(request));
  for (std::string_view rest = table; !rest.empty();)
    slurm.say(std::string(take_until(rest, '\n')));
}

Decision decision_of_unpacked_job(const SubmittedJob& job, const Policy& policy) {
  Decision left;
  left.reason = text_of(*job.kept_layout);
  if (!job.request.packs_threads || job.unmeasured || !job.plan.empty()) return left;
  try {
    Decision asked = ask_for_decision(job, policy);
    if (asked.action == Decision::Action::kMeasure && !asked.lays_out()) return asked;
    if (asked.action != Decision::Action::kLeave) return left;
    left.teams = std::move(asked.teams);
    left.teams_reason = std::move(asked.teams_reason);
    left.teams_untried = asked.teams_untried;
    left.teams_programs = std::move(asked.teams_programs);
    if (left.teams_reason.empty()) {  // no plan could be asked, or it comes too late
      left.teams_reason = std::move(asked.reason);
      left.teams_untried = true;
    }
  } catch (const Error& error) {
    left.teams_reason = error.what();
    left.teams_untried = true;
  }
  return left;
}

Decision decision_of_own_plan(const SubmittedJob& job, const Policy& policy) {
  const Plan plan = launch::load_plan_in_time(job.plan);
  check_own_plan(plan, job, policy);
  Decision decision;
  decision.action = Decision::Action::kApply;
  decision.plan_file = job.plan;
  decision.nodes = plan.chosen.nodes;
  const std::vector<std::uint32_t> ranks = plan.ranks_by_node();
  decision.ranks_per_node = *std::max_element(ranks.begin(), ranks.end());
  decision.pattern = plan.chosen.pattern;
  decision.node_shape = plan.node_shape;
  decision.teams = plan.teams_text();
  decision.teams_reason = plan.teams_reason;
  decision.teams_programs = plan.teams_programs;
  decision.slowdown = plan.chosen.slowdown;
  if (plan.frequency && job.frequency.kind == FrequencyWish::Kind::kAuto) {
    const auto kilohertz = static_cast<std::uint32_t>(std::lround(plan.frequency->value / 1e3));
    decision.frequency = KilohertzRange{kilohertz, kilohertz};
  }
  decision.reason =
      fmt::format("laid out on {} of {} nodes ({}) by your plan {}", decision.nodes,
                  job.request.nodes.value_or(plan.reference.nodes), decision.pattern, job.plan);
  return decision;
}

}  // namespace huddle::submission
