#pragma once

// The one of a job's plans that is in force. There may be several: each takes into account the runs
// that the one before it made slower than its bound allows.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/planning/detail/life/plan_verdict.hpp"
#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/store/store.hpp"

namespace huddle::planning {

/// The plan in force, or that it is to be made.
struct CurrentPlan {
  std::filesystem::path file;
  /// The state of what is in the file, and why.
  PlanVerdict verdict;
  std::optional<Plan> plan;
  /// The answer that is known already, instead of following the plan; nothing: it is to be
  /// followed, or made.
  std::optional<Decision> instead;
  /// The profiles of runs that broke earlier plans, to be taken into account.
  std::vector<std::filesystem::path> packed_profiles;
  /// The answer where no better plan is found; nothing if no plan was broken.
  std::optional<Decision> withdrawn;
  /// The patterns of the broken plans.
  std::vector<std::string> broken_patterns;
};

/// Beginning with the plan in `file`. What of them can't be used counts as missing. Throws
/// SystemError.
CurrentPlan current_plan(const store::Store& store, const std::filesystem::path& file,
                         const PlanRequest& request);

/// Replaces a plan that is withdrawn by the answer `made`, unless it goes on with what is
/// withdrawn, or leaves the job anyway.
JobAnswer replace_withdrawn_plan(JobAnswer made, const CurrentPlan& current);

}  // namespace huddle::planning
