#pragma once

#include "spank_plugin/plugin/option.hpp"
#include "spank_plugin/plugin/settings.hpp"
#include "spank_plugin/plugin/submitted_job.hpp"

namespace huddle {

/// sbatch, salloc, or an srun that makes its own job: the moment at which nodes are asked for.
/// Decides with the help of `huddle plan`, changes Slurm's options and the job's environment, and
/// tells the user in one line. Throws Error before anything was changed, or after everything was
/// put back.
void decide_submission(const Settings& settings, const OptionValue& option, Submitter by);

}  // namespace huddle
