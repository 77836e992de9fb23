#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/vocabulary/utc_time.hpp"

namespace huddle {

/// What Slurm says of a job, in its own word: "RUNNING", "TIMEOUT", ...; "UNKNOWN" if it does not
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

}  // namespace huddle
