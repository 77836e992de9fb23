#pragma once

#include <filesystem>
#include <string>

#include "aggregator/planning/detail/job_state.hpp"

namespace huddle {

/// Looks at the runs of a stored plan that did not end well, or started something else than the
/// job's ranks (unreviewed_runs.hpp), beside what the measured run did, whose profile is `profile`
/// (its path; empty: nothing is known of it). Returns why the plan must not be followed any more,
/// as a phrase for the user: a packed job failed, ran into its time limit, ran out of memory, or
/// launched other ranks, where the measured one did not. Empty if nothing says so; what was seen to
/// be harmless, such as a job that was cancelled, is not looked at again. `keep_marks`: nothing is
/// removed. Throws SystemError.
std::string why_plan_is_withdrawn(const std::filesystem::path& plan,
                                  const std::filesystem::path& profile, const JobStates& state_of,
                                  bool keep_marks);

}  // namespace huddle
