#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace huddle {

/// What Slurm says of a job, in its own word: "RUNNING", "TIMEOUT", ...; "UNKNOWN" if it does not
/// know the job any more, and empty if it does not answer.
using JobStates = std::function<std::string(std::uint64_t job)>;

/// Asks scontrol, and sacct for what is too old for that. Each may take half a second.
std::string ask_for_job_state(std::uint64_t job);

}  // namespace huddle
