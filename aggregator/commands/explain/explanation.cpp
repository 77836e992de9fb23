#include "aggregator/commands/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
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

// The request of the newest submission that a record tells of; nothing if it asked nothing.
std::optional<PlanRequest> request_of(const ExplainedSite& site,
                                      const std::vector<operations::ReportedRun>& runs) {
  if (runs.empty() || !runs.back().outcome.request) return std::nullopt;
  PlanRequest request = *runs.back().outcome.request;
  request.store = site.store.root();  // it may have been moved, or be another user's view of it
  request.dry_run = true;
  request.answer_within.reset();
  return request;
}

std::vector<std::string> assumptions_of(const Policy& policy, const PlanRequest& request,
                                        const Outcome& last, const Decision& next) {
  std::vector<std::string> assumptions = {fmt::format(
      "the job is submitted with --energy-aggregate as job {} was, with a bound of {:.4g} %",
      last.run->job, request.slowdown * 100)};
  if (request.machine != policy.machine_file || request.model != policy.model_file)
    assumptions.emplace_back(
        "the site's machine document and model are those that it was answered by");
  if (last.treatment == Treatment::kLeft && next.action != Decision::Action::kLeave)
    assumptions.push_back(
        fmt::format("what the last run was left for does not hold again: {}", last.reason));
  return assumptions;
}

// Where nothing was to be asked, the submission itself knew why the job is left.
NextSubmission next_without_request(const std::vector<operations::ReportedRun>& runs) {
  NextSubmission next;
  if (runs.empty()) {
    next.why_unknown = "no job has left a record of what its submission asked";
    return next;
  }
  const Outcome& last = runs.back().outcome;
  if (last.treatment != Treatment::kLeft) {
    next.why_unknown = fmt::format(
        "the record of job {} does not hold what its submission asked: huddle plan says what is "
        "answered to which request",
        last.run->job);
    return next;
  }
  next.decision.emplace();
  next.decision->reason = last.reason;
  next.assumptions = {fmt::format("the job is submitted as job {} was", last.run->job)};
  return next;
}

// The same code answers as at a submission, to the same request.
NextSubmission next_run(const ExplainedSite& site, const std::optional<PlanRequest>& request,
                        const std::vector<operations::ReportedRun>& runs, bool is_stored) {
  NextSubmission next;
  if (!site.switched_off.empty() || !site.policy.limits.allows(Mode::kAuto)) {
    next.decision.emplace();
    next.decision->reason = site.switched_off.empty() ? "the site allows these modes only: " +
                                                            site.policy.limits.allowed_modes()
                                                      : site.switched_off;
    return next;
  }
  if (!request) return next_without_request(runs);
  try {
    std::optional<planning::JobAnswer> answer = planning::known_answer(site.store, *request);
    next.by_stored_plan = answer && is_stored;
    if (!answer) answer = planning::decide_job(site.store, *request);
    next.decision = std::move(answer->decision);
    next.assumptions = assumptions_of(site.policy, *request, runs.back().outcome, *next.decision);
  } catch (const Error& error) {
    next.why_unknown = error.what();
  }
  return next;
}

// Explains the teams of the answer to the next submission, or else of the plan.
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
    const store::SizesConsents consents(
        store::SizesConsents::folder_in(site.store, explanation.key.user));
    for (store::SizesConsent& consent : consents.all())
      if (std::ranges::find(programs.builds, consent.build_id) != programs.builds.end())
        explanation.sizes.push_back(std::move(consent));
    if (consents.in_state(store::SizesState::kAct, programs.builds) != programs.sized)
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

}  // namespace

Explanation explain(const ExplainedSite& site, const store::StoreKey& key,
                    const std::vector<operations::ReportedRun>& runs, std::vector<Outcome> steps) {
  Explanation explanation;
  explanation.key = key;
  for (const operations::ReportedRun& run : runs) explanation.recorded.add(run);
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
  const std::optional<PlanRequest> request = request_of(site, runs);
  try {
    if (request) explanation.plan_file = planning::answer_file(site.store, *request);
    if (fs::exists(explanation.plan_file)) explanation.plan = load_plan(explanation.plan_file);
  } catch (const Error& error) {
    explanation.plan_unreadable = error.what();
  }
  if (explanation.plan)
    explanation.compared =
        planning::compared_runs(*explanation.plan, explanation.plan_file, *request);
  explanation.next = next_run(site, request, runs, !explanation.plan_file.empty());
  explain_teams(site, explanation);
  return explanation;
}

}  // namespace huddle::cli
