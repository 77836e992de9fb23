#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/utc_time.hpp"

namespace huddle::planning {

/// The state of a job in Slurm's own word: "RUNNING", "TIMEOUT", ...; "UNKNOWN" if it does not
/// know the job any more, and empty if it does not answer.
using JobStates = std::function<std::string(std::uint64_t job)>;

/// Asks scontrol, and sacct for what is too old for that. Each may take half a second.
std::string ask_for_job_state(std::uint64_t job);

/// Tells if that is the state of a job that is not over: it waits, runs, or ends.
bool is_going_on(std::string_view state);

/// Asks squeue for a job of the user that waits or runs, has that name, and was submitted
/// between the two moments; nothing if Slurm does not answer. May take half a second.
std::optional<bool> ask_for_submitted_job(const std::string& user, const std::string& name,
                                          UtcTime from, UtcTime to);

/// Tells if a job has the place of that claim (profiles/store/job_claim.hpp) and is not over. One
/// that is over, was never submitted, or that Slurm does not know any more is not: the file is
/// removed, unless the request is a dry run. Where Slurm does not answer, claims of the last hours
/// count. May take a second. Throws SystemError.
bool is_held(const std::filesystem::path& claim, const PlanRequest& request,
             const JobStates& state_of = ask_for_job_state);

}  // namespace huddle::planning
