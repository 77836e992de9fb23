#include "aggregator/planning/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/planning/detail/answers/job_teams.hpp"
#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/detail/answers/plan_making.hpp"
#include "aggregator/planning/detail/life/current_plan.hpp"
#include "aggregator/planning/detail/life/plan_promises.hpp"
#include "aggregator/planning/detail/samples/measuring.hpp"
#include "aggregator/planning/detail/store/job_state.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/job_claim.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// Nothing if there is no plan yet.
std::optional<JobAnswer> answer_of(const store::Store& store, CurrentPlan current,
                                   const PlanRequest& request) {
  if (current.instead) return JobAnswer{std::move(*current.instead), std::move(current.plan)};
  if (!current.plan) return std::nullopt;
  const fs::path& file = current.file;
  Plan& plan = *current.plan;
  if (!request.dry_run) keep_plan_in_use(store, plan, file);
  const std::string packed_runs = plan.packs() ? packed_runs_of(current.verdict, request) : "";
  JobAnswer answer = answer_with(std::move(plan), current.verdict.state, file, request);
  if (!packed_runs.empty()) answer.decision.reason += "; " + packed_runs;
  return replace_withdrawn_plan(std::move(answer), current);
}

}  // namespace

std::vector<fs::path> profiles_for(const store::Store& store, const PlanRequest& request) {
  return request.profiles.empty() ? store.profiles(key_of(request)) : request.profiles;
}

namespace {

enum class May : std::uint8_t { kLookOnly, kMake };

// As if no other job did it already. Nothing where something is to be made or chosen, and it may
// look only.
std::optional<JobAnswer> answer_if_free(const store::Store& store, const PlanRequest& request,
                                        May may) {
  const std::vector<fs::path> files = profiles_for(store, request);
  if (files.empty()) return JobAnswer{measure_or_leave(store, request, {}), std::nullopt};
  if (request.machine.empty())
    throw NoMachineDocument("there is a profile, but no machine document");
  const CurrentPlan current = current_plan(store, plan_path(store, request, files), request);
  std::optional<JobAnswer> answer = answer_of(store, current, request);
  if (!answer && may == May::kLookOnly) return std::nullopt;
  if (!answer && current.withdrawn) {
    // A program that was slowed down once is to be slowed down no more: nothing is tried with it.
    PlanRequest careful = request;
    careful.explore = Explore::kNo;
    careful.risk = Risk::kInterval;
    return replace_withdrawn_plan(make_answer(store, careful, files, current), current);
  }
  if (!answer) answer = make_answer(store, request, files, current);
  if (!fill_known_teams(store, current, request, *answer)) {
    if (may == May::kLookOnly) return std::nullopt;
    fill_chosen_teams(store, current.file, request, *answer);
  }
  return answer;
}

// The answer, unless another job has the place that this one would need.
JobAnswer if_free(JobAnswer answer, const PlanRequest& request) {
  if (answer.decision.claim.empty() || !is_held(answer.decision.claim, request)) return answer;
  if (answer.decision.action == Decision::Action::kMeasure)
    return {being_measured(), std::move(answer.plan)};
  Decision left;
  left.reason = store::kFirstRunIsTaken;
  left.compared = true;  // its time is one to compare with
  return {std::move(left), std::move(answer.plan)};
}

}  // namespace

std::optional<JobAnswer> known_answer(const store::Store& store, const PlanRequest& request) {
  std::optional<JobAnswer> answer = answer_if_free(store, request, May::kLookOnly);
  if (answer) answer = if_free(std::move(*answer), request);
  return answer;
}

fs::path answer_file(const store::Store& store, const PlanRequest& request) {
  const std::vector<fs::path> files = profiles_for(store, request);
  if (files.empty() || request.machine.empty()) return {};
  const fs::path first = plan_path(store, request, files);
  std::error_code unknown;
  if (!fs::exists(first, unknown) && !fs::exists(no_plan_path(first), unknown)) return {};
  try {
    return current_plan(store, first, request).file;
  } catch (const Error&) {  // it can't be read
    return first;
  }
}

JobAnswer decide_job(const store::Store& store, const PlanRequest& request) {
  return if_free(*answer_if_free(store, request, May::kMake), request);
}

PromiseVerdict compared_runs(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  return history_of(plan, file.parent_path(), request, true).promise;
}

}  // namespace huddle::planning
