#pragma once

#include <cstdint>
#include <filesystem>

#include "aggregator/planning/detail/life/plan_verdict.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// So that the plan in `file` and its companions are not removed as what nobody uses. Once a day,
/// and in the background: a file system that takes no changes must not hold the answer up.
void keep_plan_in_use(const store::Store& store, const Plan& plan,
                      const std::filesystem::path& file);

/// The job runs as submitted, for what the runs of its plan came to.
Decision left_by(const PlanVerdict& verdict, const PlanRequest& request);

/// The answer to a job by a plan for ranks such as the request's, which is in `file`, and in that
/// state.
JobAnswer answer_with(Plan plan, PlanState state, const std::filesystem::path& file,
                      const PlanRequest& request);

}  // namespace huddle::planning
