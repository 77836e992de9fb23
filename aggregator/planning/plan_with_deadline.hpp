#pragma once

#include <chrono>
#include <cstdint>

#include "aggregator/planning/background_task.hpp"
#include "aggregator/planning/planner.hpp"

namespace huddle::planning {

/// Number of times that a plan is begun which is never done (its maker was killed, or took more
/// than it may) before jobs with this request are left alone.
inline constexpr std::uint32_t kMostPlanAttempts = 3;

/// decide_job(), but answers within `wait` and a little: a plan that takes longer is made by a
/// process in the background, and this job is left alone, with a reason that says so. The next
/// submission finds the plan. However many submissions ask, one process makes it; and at most one
/// makes plans for a user at a time: while it is at another one, this job is left alone. Throws
/// what decide_job() throws, and SystemError.
JobAnswer decide_job_within(std::chrono::milliseconds wait, const store::Store& store,
                            const PlanRequest& request, const DetachedLimits& limits = {});

}  // namespace huddle::planning
