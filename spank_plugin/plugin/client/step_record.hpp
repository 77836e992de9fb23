#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle::plugin {

/// srun's slurm_spank_local_user_init: job and step have their numbers, and nothing runs yet.
/// Begins the record of what becomes of the step, if the submission asked for one; where the job
/// was left as submitted, only of a step with the job's number of ranks. `of_job`: whether this
/// srun starts a step of a job that was there before, so that its options are the step's. Throws
/// Error.
void record_step(spank_t spank, bool of_job);

}  // namespace huddle::plugin
