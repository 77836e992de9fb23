#pragma once

#include <cstdint>
#include <filesystem>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// The job is left as it is: `nodes` nodes are the fewest.
Decision no_gain(const PlanRequest& request, std::uint32_t nodes);

/// What a plan, which is in `file`, says for the job. Throws Error if it is a plan for other ranks.
JobAnswer answer_with(Plan plan, const std::filesystem::path& file, const PlanRequest& request);

}  // namespace huddle
