#include "aggregator/planning/detail/life/current_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "aggregator/planning/detail/answers/plan_answers.hpp"
#include "aggregator/planning/detail/life/plan_promises.hpp"
#include "aggregator/planning/detail/life/plan_review.hpp"
#include "aggregator/planning/detail/store/job_state.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;

// A program that breaks so many plans is not understood.
constexpr std::size_t kMostBrokenPlans = 3;

// A packed job that failed, as far as it is known now.
std::optional<FailedRun> failed_run(const Plan& plan, const fs::path& file,
                                    const PlanRequest& request) {
  const ReviewedPlan reviewed{
      file, plan.made_from.empty() ? fs::path() : fs::path(plan.made_from.front()),
      request.steps_are_safe || plan.keeps_nodes, plan.keeps_nodes ? "grouped" : "packed"};
  return failed_run_of(reviewed, ask_for_job_state, request.dry_run);
}

// The plan in that file, and the state that it is in.
PlanVerdict look_at(CurrentPlan& current, const PlanRequest& request) {
  if (auto note = stored_note(current.file)) {
    current.instead = std::move(note);
    return {PlanState::kSettled};
  }
  current.plan = stored_plan(current.file, request);
  if (!current.plan) return {PlanState::kMissing};
  if (auto failed = failed_run(*current.plan, current.file, request))
    return {PlanState::kFailed, *std::move(failed)};
  if (!current.plan->packs()) return {PlanState::kIdle};
  return verdict_on(*current.plan, current.file, request);
}

// Takes up what the broken plan's runs show, and goes to the plan that does; false if that plan
// would be none other.
bool go_to_next(const store::Store& store, const PlanRequest& request, CurrentPlan& current) {
  current.withdrawn = left_by(current.verdict, request);
  const Plan& broken = std::get<JudgedRuns>(current.verdict.reason).plan;
  std::vector<fs::path>& known = current.packed_profiles;
  std::vector<fs::path> news = profiles_of_broken(store, broken, request);
  std::erase_if(news, [&](const fs::path& profile) {
    return std::find(known.begin(), known.end(), profile) != known.end();
  });
  current.broken_patterns.push_back(broken.chosen.pattern);
  if (news.empty() || current.broken_patterns.size() == kMostBrokenPlans) return false;
  current.file = revised_path(current.file, news);
  current.plan.reset();
  known.insert(known.end(), news.begin(), news.end());
  return true;
}

// For the message of a plan that replaces others: that these are not followed; else empty.
std::string replaced_text(const CurrentPlan& current) {
  if (current.broken_patterns.empty()) return {};
  return fmt::format("; {} {} withdrawn, as its packed runs were slower than the bound allows",
                     fmt::join(current.broken_patterns, ", "),
                     current.broken_patterns.size() == 1 ? "is" : "are");
}

}  // namespace

CurrentPlan current_plan(const store::Store& store, const fs::path& file,
                         const PlanRequest& request) {
  CurrentPlan current;
  current.file = file;
  for (;;) {
    current.verdict = look_at(current, request);
    switch (current.verdict.state) {
      case PlanState::kSettled:
        if (current.withdrawn) current.instead = current.withdrawn;
        return current;
      case PlanState::kFailed:
        current.instead = left_by(current.verdict, request);
        if (!request.dry_run) store_note(*current.instead, current.file);
        current.plan.reset();
        return current;
      case PlanState::kCompared:
        current.instead = left_by(current.verdict, request);
        return current;
      case PlanState::kWithdrawn:
        if (go_to_next(store, request, current)) continue;
        current.instead = current.withdrawn;
        return current;
      case PlanState::kMissing:
      case PlanState::kIdle:
      case PlanState::kUnconfirmed:
      case PlanState::kUntried:
      case PlanState::kFollowed:
        return current;
    }
  }
}

JobAnswer replace_withdrawn_plan(JobAnswer made, const CurrentPlan& current) {
  if (!current.withdrawn) return made;
  const auto& broken = current.broken_patterns;
  const bool packs =
      made.decision.action == Decision::Action::kApply && made.plan && made.plan->packs() &&
      std::find(broken.begin(), broken.end(), made.plan->chosen.pattern) == broken.end();
  if (!packs) return {*current.withdrawn, std::move(made.plan)};
  made.decision.reason += replaced_text(current);
  return made;
}

}  // namespace huddle::planning
