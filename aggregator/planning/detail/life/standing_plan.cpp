#include "aggregator/planning/detail/life/standing_plan.hpp"

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
#include "aggregator/planning/detail/store/plan_names.hpp"
#include "aggregator/planning/detail/store/stored_answer.hpp"

namespace huddle {
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
PlanVerdict look_at(StandingPlan& standing, const PlanRequest& request) {
  if (auto note = stored_note(standing.file)) {
    standing.instead = std::move(note);
    return {PlanState::kSettled};
  }
  standing.plan = stored_plan(standing.file, request);
  if (!standing.plan) return {PlanState::kMissing};
  if (auto failed = failed_run(*standing.plan, standing.file, request))
    return {PlanState::kFailed, *std::move(failed)};
  if (!standing.plan->packs()) return {PlanState::kIdle};
  return verdict_on(*standing.plan, standing.file, request);
}

// Takes up what the broken plan's runs show, and goes to the plan that does; false if that plan
// would be none other.
bool go_to_next(const Store& store, const PlanRequest& request, StandingPlan& standing) {
  standing.withdrawn = left_by(standing.verdict, request);
  const Plan& broken = std::get<JudgedRuns>(standing.verdict.reason).plan;
  std::vector<fs::path>& known = standing.packed_profiles;
  std::vector<fs::path> news = profiles_of_broken(store, broken, request);
  std::erase_if(news, [&](const fs::path& profile) {
    return std::find(known.begin(), known.end(), profile) != known.end();
  });
  standing.broken_patterns.push_back(broken.chosen.pattern);
  if (news.empty() || standing.broken_patterns.size() == kMostBrokenPlans) return false;
  standing.file = revised_path(standing.file, news);
  standing.plan.reset();
  known.insert(known.end(), news.begin(), news.end());
  return true;
}

}  // namespace

StandingPlan standing_plan(const Store& store, const fs::path& file, const PlanRequest& request) {
  StandingPlan standing;
  standing.file = file;
  for (;;) {
    standing.verdict = look_at(standing, request);
    switch (standing.verdict.state) {
      case PlanState::kSettled:
        if (standing.withdrawn) standing.instead = standing.withdrawn;
        return standing;
      case PlanState::kFailed:
        standing.instead = left_by(standing.verdict, request);
        if (!request.dry_run) keep_decision(*standing.instead, standing.file);
        standing.plan.reset();
        return standing;
      case PlanState::kCompared:
        standing.instead = left_by(standing.verdict, request);
        return standing;
      case PlanState::kWithdrawn:
        if (go_to_next(store, request, standing)) continue;
        standing.instead = standing.withdrawn;
        return standing;
      case PlanState::kMissing:
      case PlanState::kIdle:
      case PlanState::kUnconfirmed:
      case PlanState::kUntried:
      case PlanState::kFollowed:
        return standing;
    }
  }
}

JobAnswer better_than_withdrawn(JobAnswer made, const StandingPlan& standing) {
  if (!standing.withdrawn) return made;
  const auto& broken = standing.broken_patterns;
  const bool packs =
      made.decision.action == Decision::Action::kApply && made.plan && made.plan->packs() &&
      std::find(broken.begin(), broken.end(), made.plan->chosen.pattern) == broken.end();
  if (!packs) return {*standing.withdrawn, std::move(made.plan)};
  made.decision.reason += replaced_text(standing);
  return made;
}

std::string replaced_text(const StandingPlan& standing) {
  if (standing.broken_patterns.empty()) return {};
  return fmt::format("; {} {} withdrawn, as its packed runs were slower than the bound allows",
                     fmt::join(standing.broken_patterns, ", "),
                     standing.broken_patterns.size() == 1 ? "is" : "are");
}

}  // namespace huddle
