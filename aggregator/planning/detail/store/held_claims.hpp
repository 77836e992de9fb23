#pragma once

#include <filesystem>
#include <string>

#include "aggregator/planning/detail/store/job_state.hpp"
#include "profiles/formats/plan/plan_request.hpp"

namespace huddle {

/// Tells if a job has the place of that claim (profiles/store/job_claim.hpp) and is not over. One
/// that is over, was never submitted, or that Slurm does not know any more is not: the file is
/// removed, unless the request is a dry run. Where Slurm does not answer, claims of the last hours
/// count. May take a second. Throws SystemError.
bool is_held(const std::filesystem::path& claim, const PlanRequest& request,
             const JobStates& state_of = ask_for_job_state);

}  // namespace huddle
