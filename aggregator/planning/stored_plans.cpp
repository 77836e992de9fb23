#include "aggregator/planning/stored_plans.hpp"

#include <system_error>
#include <utility>

#include "aggregator/planning/detail/plan_names.hpp"
#include "aggregator/planning/detail/plan_promises.hpp"
#include "aggregator/planning/detail/standing_plan.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

namespace fs = std::filesystem;

NarrowAnswer narrow_answer(const Store& store, const PlanRequest& request) {
  PlanRequest dry = request;
  dry.dry_run = true;
  NarrowAnswer answer;
  std::error_code unknown;
  try {
    answer.may_have_trial = !store.packed_profiles(key_of(request)).empty();
    const StandingPlan wide =
        standing_plan(store, plan_path(store, dry, profiles_for(store, dry)), dry);
    if (wide.withdrawn) {
      answer.why_none = wide.withdrawn->reason;
      return answer;
    }
    const fs::path file = narrow_path(wide.file);
    if (!fs::exists(file, unknown) && !fs::exists(no_plan_path(file), unknown)) return answer;
    StandingPlan narrow = standing_plan(store, file, dry);
    if (narrow.withdrawn)
      answer.why_none = narrow.withdrawn->reason;
    else if (narrow.plan)
      answer.plan = std::move(narrow.plan);
    else if (narrow.instead)
      answer.why_none = narrow.instead->reason;
  } catch (const Error&) {  // as if it were not there
  }
  return answer;
}

std::size_t most_compared_jobs() {
  return kMostComparedRuns;
}

ComparedRuns compared_runs(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  const PromiseVerdict verdict = verdict_on(plan, file.parent_path(), request, true);
  return {{verdict.runs_as_submitted, verdict.time_as_submitted},
          {verdict.packed_runs, verdict.packed_time},
          verdict.slowdown,
          verdict.low,
          verdict.high};
}

}  // namespace huddle
