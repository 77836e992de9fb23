#pragma once

#include "spank_plugin/submission/asked/aggregate_option.hpp"
#include "spank_plugin/submission/asked/settings.hpp"
#include "spank_plugin/submission/asked/submitted_job.hpp"
#include "spank_plugin/submission/slurm_client.hpp"

namespace huddle::submission {

/// The begin of the line to the user where a job is not changed; the reason follows.
inline constexpr const char* kLeftPrefix = "left as submitted: ";

/// sbatch, salloc, or an srun that makes its own job: the moment at which nodes are asked for.
/// Decides with the help of `huddle plan`, changes Slurm's options and the job's environment, and
/// says so to the user in one line. Throws Error before anything was changed, or after everything
/// was put back.
void decide_submission(SlurmClient& slurm, const Settings& settings, const AggregateOption& option,
                       Submitter by);

}  // namespace huddle::submission
