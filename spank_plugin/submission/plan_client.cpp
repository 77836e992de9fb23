#include "spank_plugin/submission/plan_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/processes/child_process.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle {
namespace {

constexpr std::chrono::seconds kPlanTimeLimit{2};

// What of the submitter's environment `huddle plan` may see: a job's own LD_LIBRARY_PATH,
// LD_PRELOAD or LANG must not decide how it runs.
std::vector<std::string> environment_of_plan() {
  constexpr std::array kPassed = {"HOME", "USER", "SLURM_CONF", "XDG_RUNTIME_DIR", "TMPDIR", "TZ"};
  // Slurm's other commands are where this one is, which need not be where the system's are.
  std::error_code unknown;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  std::vector<std::string> environment = {
      fmt::format("PATH=/usr/local/bin:/usr/bin:/bin{}{}", own.empty() ? "" : ":", own.string()),
      "LC_ALL=C.UTF-8"};
  for (const char* name : kPassed)
    // NOLINTNEXTLINE(concurrency-mt-unsafe): sbatch, salloc and srun read their options in one
    // thread
    if (const char* value = std::getenv(name))
      environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

std::string run(const PlanRequest& request, const std::vector<std::string>& command) {
  constexpr std::size_t kMostOutput = std::size_t{1} << 20U;
  const ChildResult result =
      run_child(command, kPlanTimeLimit, to_json(request), kMostOutput, environment_of_plan());
  if (result.timed_out)
    throw Error(fmt::format("{} plan took longer than {} s", command[0], kPlanTimeLimit.count()));
  if (result.status != 0) {
    std::string_view line = std::string_view(result.errors).substr(0, result.errors.find('\n'));
    constexpr std::string_view kPrefix = "huddle: ";  // ours comes in front anyway
    if (line.starts_with(kPrefix)) line.remove_prefix(kPrefix.size());
    throw Error(fmt::format("{} plan failed with status {}: {}", command[0], result.status,
                            shortened(line, 200)));
  }
  return result.output;
}

// Why the plan can't be followed; empty if it can.
std::string find_contradiction(const Plan& plan, const SubmittedJob& job, const Policy& policy) {
  const PlanRequest& request = job.request;
  if (plan.keeps_nodes) return "is for a job that keeps its nodes for what they have";
  if (plan.ranks != request.ranks)
    return fmt::format("is for {} ranks and the job has {}", plan.ranks, request.ranks);
  if (plan.chosen.nodes < request.least_nodes)
    return fmt::format("takes {} node(s) and the site wants {} or more", plan.chosen.nodes,
                       request.least_nodes);
  const std::optional<double>& limit = policy.limits.slowdown;
  if (limit && plan.chosen.slowdown > *limit)
    return fmt::format("predicts {} % time and the site's limit is {:.4g} %",
                       percent_text(plan.chosen.slowdown), *limit * 100);
  if (job.by == Submitter::kDirectSrun && plan.grouping != Grouping::kRankOrder)
    return "groups ranks, which needs nodes with names: use sbatch or salloc";
  const bool narrow = plan.packed_cores_per_rank != 0;
  if (narrow && !job.why_not_narrow.empty())
    return fmt::format("gives ranks fewer cores than they ask for, and they keep them: {}",
                       job.why_not_narrow);
  if (narrow && plan.cores_per_rank != request.cores_per_rank)
    return fmt::format("is for ranks of {} cores and the job asks for {} (--cpus-per-task)",
                       plan.cores_per_rank, request.cores_per_rank);
  const std::uint32_t least = narrow ? plan.packed_cores_per_rank : request.cores_per_rank;
  for (const RankPlace& place : plan.placement)
    if (place.pus.size() < least)
      return fmt::format("gives a rank {} PU(s) and the job asks for {} (--cpus-per-task)",
                         place.pus.size(), least);
  return {};
}

}  // namespace

Decision ask_for_decision(const SubmittedJob& job, const Policy& policy) {
  return parse_decision(run(job.request, {policy.huddle, "plan", "--request=-", "--json"}),
                        "what huddle plan printed");
}

std::string ask_for_table(const SubmittedJob& job, const Policy& policy) {
  PlanRequest request = job.request;
  request.every_pattern = true;
  return run(request, {policy.huddle, "plan", "--request=-"});
}

Decision decision_of_unpacked_job(const SubmittedJob& job, const Policy& policy) {
  Decision left;
  left.reason = job.why_not_packed;
  if (!job.request.packs_threads || !job.why_not_measured.empty() || !job.plan.empty()) return left;
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
  const Plan plan = load_plan_in_time(job.plan);
  if (const std::string why = find_contradiction(plan, job, policy); !why.empty())
    throw Error(fmt::format("your plan {} {}", job.plan, why));
  Decision decision;
  decision.action = Decision::Action::kApply;
  decision.plan_file = job.plan;
  decision.nodes = plan.chosen.nodes;
  const std::vector<std::uint32_t> ranks = plan.ranks_by_node();
  decision.ranks_per_node = *std::max_element(ranks.begin(), ranks.end());
  decision.pattern = plan.chosen.pattern;
  decision.node_shape = plan.node_shape;
  decision.packed_cores_per_rank = plan.packed_cores_per_rank;
  decision.teams = plan.teams_text();
  decision.teams_reason = plan.teams_reason;
  decision.teams_programs = plan.teams_programs;
  if (plan.packed_cores_per_rank !=
      0) {  // then nothing more is tried, nor chosen, inside of a rank
    decision.teams.clear();
    decision.teams_reason = fmt::format("each rank has {} of its {} cores",
                                        plan.packed_cores_per_rank, plan.cores_per_rank);
  }
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

}  // namespace huddle
