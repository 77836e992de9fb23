#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "aggregator/planning/detail/life/plan_verdict.hpp"
#include "aggregator/planning/detail/store/job_state.hpp"

namespace huddle::planning {

/// The subject of a review of a plan's runs.
struct ReviewedPlan {
  std::filesystem::path plan;
  /// The profile of the measured run; empty: nothing is known of that run.
  std::filesystem::path profile;
  /// True if a packed job may launch what the measured one did not.
  bool any_steps = false;
  /// The plan's effect on a job: "packed" or "grouped".
  std::string_view run_as = "packed";
};

/// Looks at the runs of a stored plan that did not end well, or started something else than the
/// job's ranks (unreviewed_runs.hpp), beside what the measured run did. Returns the one for which
/// the plan must not be followed any more: a packed job failed, ran into its time limit, ran out of
/// memory, or launched other ranks, where the measured one did not. Nothing if no run says so; what
/// was seen to be harmless, such as a job that was cancelled, is not looked at again. `keep_marks`:
/// nothing is removed. Throws SystemError.
std::optional<FailedRun> failed_run_of(const ReviewedPlan& reviewed, const JobStates& state_of,
                                       bool keep_marks);

}  // namespace huddle::planning
