#include "aggregator/commands/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/first_run.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFilesOfOthers =
    "these files can be changed by somebody whom root must not trust: ask as their owner";

MeasuredRuns measured_runs(const std::vector<fs::path>& profiles) {
  MeasuredRuns measured;
  measured.profiles = profiles.size();
  if (profiles.empty()) return measured;
  try {
    const Profile newest = load_profile(profiles.front());
    measured.day = newest.started_at.substr(0, newest.started_at.find('T'));
    measured.job = newest.slurm_job_id;
    measured.nodes = newest.nodes().size();
    for (const RankRecord& rank : newest.rank_records)
      for (const OpenMpRegionRecord& region : rank.openmp_regions)
        measured.has_teams = measured.has_teams || region.largest_team > 1;
  } catch (const Error& error) {
    measured.unreadable = error.what();
  }
  return measured;
}

// What tells the newest job from others of its label; empty if its record does not say.
std::string script_of(const std::vector<ReportedRun>& runs) {
  return runs.empty() ? "" : runs.back().outcome.script;
}

// The newest answer that no other script's jobs were run by.
fs::path plan_file_of(const Store& store, const StoreKey& key,
                      const std::vector<ReportedRun>& runs) {
  std::set<std::string> of_others;
  for (const ReportedRun& run : runs)
    if (run.outcome.script != script_of(runs))
      of_others.insert(fs::path(run.outcome.plan_file).filename().string());
  for (const ReportedRun& run : runs)
    if (run.outcome.script == script_of(runs))
      of_others.erase(fs::path(run.outcome.plan_file).filename().string());
  for (fs::path& file : stored_plans(store, key))
    if (!of_others.contains(file.filename().string())) return std::move(file);
  return {};
}

// An answer is made from all that was there when it was made or used last.
bool is_newer(const fs::path& file, const fs::path& plan) {
  if (file.empty()) return false;
  std::error_code failure;
  const fs::file_time_type written = fs::last_write_time(file, failure);
  return failure || written > last_use_of(plan);
}

bool is_outdated(const fs::path& plan, const PlanRequest& request,
                 const std::vector<fs::path>& profiles) {
  return is_newer(request.machine, plan) || is_newer(request.model, plan) ||
         std::any_of(profiles.begin(), profiles.end(),
                     [&](const fs::path& profile) { return is_newer(profile, plan); });
}

// Whether the site's rules let a submission be answered by the plan: another request than one by
// them, such as somebody's huddle plan, may have made it.
bool is_allowed(const Plan& plan, const PlanRequest& request) {
  if (!plan.packs()) return true;
  return !(plan.trial && request.explore == Explore::kNo) &&
         plan.chosen.slowdown <= request.slowdown && plan.chosen.nodes >= request.least_nodes;
}

// The nodes that the newest job asked for, as far as the records say.
std::optional<std::uint32_t> nodes_asked_for(const std::vector<ReportedRun>& runs) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    const Outcome& outcome = run->outcome;
    if (outcome.prediction) return outcome.prediction->reference_nodes;
    if (outcome.run && outcome.plan_file.empty()) return outcome.run->nodes;
  }
  return std::nullopt;
}

// What the newest job's submission asked, with what the site says where its user said nothing.
PlanRequest request_of(const ExplainedSite& site, const Explanation& explanation,
                       const std::vector<ReportedRun>& runs) {
  const Policy& policy = site.policy;
  PlanRequest request;
  request.user = explanation.key.user;
  request.label = explanation.key.label;
  request.ranks = explanation.key.ranks;
  request.store = site.store.root();
  request.dry_run = true;
  request.script = script_of(runs);
  request.nodes = nodes_asked_for(runs);
  request.slowdown = policy.slowdown;
  request.risk = policy.whole_interval ? Risk::kInterval : Risk::kPoint;
  request.objective = policy.objective;
  request.explore = policy.explore;
  request.samples = policy.samples;
  request.withdraw = policy.withdraw;
  request.check_every = policy.check_every;
  request.least_nodes = policy.limits.least_nodes;
  request.machine = policy.machine_file;
  request.model = policy.model_file;
  if (!explanation.plan) return request;
  const Plan& plan = *explanation.plan;
  request.nodes = plan.reference.nodes;
  request.cores_per_rank = plan.cores_per_rank;
  request.keeps_nodes = plan.keeps_nodes;
  request.grouping = plan.order_reason.empty() ? plan.grouping : Grouping::kMapped;
  if (plan.frequency) request.frequencies = FrequencyRange{};
  return request;
}

std::vector<std::string> assumptions_of(const Policy& policy, const NextSubmission& next,
                                        const std::vector<ReportedRun>& runs) {
  std::vector<std::string> assumptions = {fmt::format(
      "the job is submitted with --energy-aggregate and otherwise as before, with the site's bound "
      "of {:.4g} %",
      policy.slowdown * 100)};
  if (!policy.partitions.empty() || !policy.accounts.empty() || !policy.groups.empty())
    assumptions.emplace_back("no partition, account or group has rules of its own");
  if (!next.by_stored_plan && next.decision->action != Decision::Action::kMeasure)
    assumptions.emplace_back("each rank has one core, and the job no limit of time or memory");
  if (script_of(runs).empty())
    assumptions.emplace_back("all runs of this label are of one script: no record tells");
  if (!runs.empty() && runs.back().outcome.treatment == Treatment::kLeft &&
      next.decision->action != Decision::Action::kLeave)
    assumptions.push_back(fmt::format("what the last run was left for does not hold again: {}",
                                      runs.back().outcome.reason));
  return assumptions;
}

// The same code answers as at a submission.
NextSubmission next_run(const ExplainedSite& site, const Explanation& explanation,
                        const std::vector<fs::path>& profiles,
                        const std::vector<ReportedRun>& runs) {
  NextSubmission next;
  if (!site.policy.enabled || !site.policy.limits.allows(Mode::kAuto)) {
    next.decision.emplace();
    next.decision->reason = site.policy.enabled ? "the site allows these modes only: " +
                                                      site.policy.limits.allowed_modes()
                                                : "the site has switched Huddle off";
    return next;
  }
  const PlanRequest request = request_of(site, explanation, runs);
  if (!profiles.empty() && request.machine.empty()) {
    next.why_unknown =
        "the site's policy, as it is found on this machine, names no machine document "
        "(machine.file)";
    return next;
  }
  try {
    const fs::path& file = explanation.plan_file;
    std::optional<JobAnswer> answer;
    if (!file.empty() && !profiles.empty() && !is_outdated(file, request, profiles) &&
        (!explanation.plan || is_allowed(*explanation.plan, request)))
      answer = stored_answer(site.store, file, request);
    next.by_stored_plan = answer.has_value();
    if (!answer) answer = decide_job(site.store, request);
    next.decision = std::move(answer->decision);
    if (next.decision->untried &&
        first_run_is_claimed(next.decision->plan_file, std::chrono::system_clock::now())) {
      next.decision.emplace();
      next.decision->reason = kFirstRunIsTaken;
    }
    next.assumptions = assumptions_of(site.policy, next, runs);
  } catch (const Error& error) {
    next.why_unknown = error.what();
  }
  return next;
}

// Of the answer to the next submission, or else of the plan.
void explain_teams(const ExplainedSite& site, Explanation& explanation) {
  const std::optional<Decision>& next = explanation.next.decision;
  std::string chosen = next ? next->teams : std::string();
  std::string reason = next ? next->teams_reason : std::string();
  TeamPrograms programs = next ? next->teams_programs : TeamPrograms();
  if (reason.empty() && explanation.plan) {
    chosen = explanation.plan->teams_text();
    reason = explanation.plan->teams_reason;
    programs = explanation.plan->teams_programs;
  }
  if (chosen.empty() && reason.empty()) return;
  try {
    const SizesConsents consents(SizesConsents::folder_in(site.store, explanation.key.user));
    for (SizesConsent& consent : consents.all())
      if (std::ranges::find(programs.builds, consent.build_id) != programs.builds.end())
        explanation.sizes.push_back(std::move(consent));
    if (consents.in_state(SizesState::kAct, programs.builds) != programs.sized)
      reason += "; what their user allows has changed since, so the next submission chooses anew";
  } catch (const Error&) {  // it is not known what is allowed
  }
  const bool sized = chosen.find('*') != std::string::npos;
  explanation.teams = fmt::format("{}{}{}",
                                  chosen.empty() ? "as the program starts them"
                                  : sized        ? "with as many threads and cores as was chosen"
                                                 : "on as many cores as was chosen",
                                  reason.empty() ? "" : ": ", reason);
}

// Of ranks that have teams, or several cores by their plan.
std::string narrow_text_of(const ExplainedSite& site, const Explanation& explanation,
                           const PlanRequest& request) {
  const Policy& policy = site.policy;
  if (!policy.fewer_cpus_allowed || !policy.threads_allowed || explanation.plan_file.empty() ||
      !explanation.plan_unreadable.empty())
    return {};
  const NarrowAnswer answer = narrow_answer(site.store, request, explanation.plan_file);
  if (answer.plan)
    return fmt::format("a plan gives each rank {} of its {} cores, on {} node{}",
                       answer.plan->packed_cores_per_rank, answer.plan->cores_per_rank,
                       answer.plan->chosen.nodes, answer.plan->chosen.nodes == 1 ? "" : "s");
  if (!answer.why_none.empty()) return fmt::format("no plan for fewer: {}", answer.why_none);
  const bool wide = explanation.plan && explanation.plan->cores_per_rank > 1;
  if (!wide && !explanation.measured.has_teams) return {};
  std::string text = "no plan for fewer: ";
  if (!explanation.plan)
    text += "the job is left as submitted";
  else if (!answer.may_have_trial)
    text +=
        "no run was measured with its teams on fewer of them (threads=pack, or threads=auto and "
        "several CPUs a task)";
  else
    text += "none was asked for since a run may have tried them";
  if (!site.allows_trials)
    text +=
        "; and only as many ranks may share a node as some run has shown (explore = \"no\" in "
        "huddle.toml)";
  return text;
}

}  // namespace

Explanation explain(const ExplainedSite& site, const StoreKey& key,
                    const std::vector<ReportedRun>& runs, std::vector<Outcome> steps) {
  Explanation explanation;
  explanation.key = key;
  for (const ReportedRun& run : runs) explanation.recorded.add(run);
  explanation.steps = std::move(steps);
  if (explanation.steps.empty() && !runs.empty()) explanation.steps = {runs.back().outcome};
  const std::vector<fs::path> profiles = site.store.profiles(key);
  explanation.measured.profiles = profiles.size();
  if (site.records_only) {
    explanation.measured.unreadable = kFilesOfOthers;
    explanation.next.why_unknown = kFilesOfOthers;
    return explanation;
  }
  explanation.measured = measured_runs(profiles);
  explanation.plan_file = plan_file_of(site.store, key, runs);
  try {
    if (fs::exists(explanation.plan_file)) explanation.plan = load_plan(explanation.plan_file);
  } catch (const Error& error) {
    explanation.plan_unreadable = error.what();
  }
  if (explanation.plan)
    explanation.compared = compared_runs(*explanation.plan, explanation.plan_file,
                                         request_of(site, explanation, runs));
  explanation.next = next_run(site, explanation, profiles, runs);
  explain_teams(site, explanation);
  explanation.narrow = narrow_text_of(site, explanation, request_of(site, explanation, runs));
  return explanation;
}

}  // namespace huddle
