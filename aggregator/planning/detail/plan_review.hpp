#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "aggregator/planning/detail/job_state.hpp"

namespace huddle {

/// What a review of a plan's runs is about.
struct ReviewedPlan {
  std::filesystem::path plan;
  /// The profile of the measured run; empty: nothing is known of that run.
  std::filesystem::path profile;
  /// Whether a packed job may launch what the measured one did not.
  bool any_steps = false;
  /// What the plan does with a job: "packed" or "grouped".
  std::string_view run_as = "packed";
};

/// Looks at the runs of a stored plan that did not end well, or started something else than the
/// job's ranks (unreviewed_runs.hpp), beside what the measured run did. Returns why the plan must
/// not be followed any more, as a phrase for the user: a packed job failed, ran into its time
/// limit, ran out of memory, or launched other ranks, where the measured one did not. Empty if
/// nothing says so; what was seen to be harmless, such as a job that was cancelled, is not looked
/// at again. `keep_marks`: nothing is removed. Throws SystemError.
std::string why_plan_is_withdrawn(const ReviewedPlan& reviewed, const JobStates& state_of,
                                  bool keep_marks);

}  // namespace huddle
