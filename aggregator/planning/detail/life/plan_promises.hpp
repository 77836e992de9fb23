#pragma once

#include <filesystem>
#include <vector>

#include "aggregator/planning/detail/life/plan_verdict.hpp"
#include "aggregator/planning/promise.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// Evidence of runs about a plan.
struct PlanHistory {
  PromiseVerdict promise;
  /// True if a job has followed it to an end that its program may have, or it names no program.
  bool followed = false;
};

/// The runs of the plan's program and its present build, by the times that are stored in `folder`
/// (profiles/store/timed_runs.hpp); none if the plan names no program. Without a packed run there
/// is nothing to judge: then those as submitted are read only if `all_runs`.
PlanHistory history_of(const Plan& plan, const std::filesystem::path& folder,
                       const PlanRequest& request, bool all_runs = false);

/// The state of `plan`, which is in `file`, by its runs alone, and the runs that say so: its own,
/// or those of the first of its companions for which a job runs as submitted.
PlanVerdict verdict_on(const Plan& plan, const std::filesystem::path& file,
                       const PlanRequest& request);

/// The profiles of the newest runs that followed a plan, of `broken` in the key's folder, that left
/// one: at most two, which is enough for another plan to take them into account.
std::vector<std::filesystem::path> profiles_of_broken(const store::Store& store, const Plan& broken,
                                                      const PlanRequest& request);

}  // namespace huddle::planning
