#include "aggregator/planning/stored_plans.hpp"

#include <system_error>
#include <utility>

#include "aggregator/planning/detail/life/plan_promises.hpp"
#include "aggregator/planning/detail/life/standing_plan.hpp"
#include "aggregator/planning/detail/store/plan_names.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

namespace fs = std::filesystem;

std::size_t most_compared_jobs() {
  return kMostComparedRuns;
}

ComparedRuns compared_runs(const Plan& plan, const fs::path& file, const PlanRequest& request) {
  const PromiseVerdict verdict = history_of(plan, file.parent_path(), request, true).promise;
  return {{verdict.runs_as_submitted, verdict.time_as_submitted},
          {verdict.packed_runs, verdict.packed_time},
          verdict.slowdown,
          verdict.low,
          verdict.high,
          verdict.unexplained_runs,
          verdict.unexplained_change};
}

}  // namespace huddle
