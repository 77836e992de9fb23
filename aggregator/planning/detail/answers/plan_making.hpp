#pragma once

// Decides for a job of which nothing is stored yet.

#include <filesystem>
#include <vector>

#include "aggregator/planning/detail/life/current_plan.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// The decision for a job while another one of its kind is measured.
Decision being_measured();

/// Decides by the profiles `files`, newest first, and stores what is decided where `current` says,
/// unless the request is a dry run. Throws Error, SystemError.
JobAnswer make_answer(const store::Store& store, const PlanRequest& request,
                      const std::vector<std::filesystem::path>& files, const CurrentPlan& current);

}  // namespace huddle::planning
