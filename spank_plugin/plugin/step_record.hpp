#pragma once

#include "spank_plugin/plugin/spank_api.hpp"

namespace huddle {

/// srun's slurm_spank_local_user_init: job and step have their numbers, and nothing runs yet.
/// Begins the record of what becomes of the step, if the submission asked for one and the step is
/// the one that was decided about: as many ranks, not a launcher's daemons. Throws Error.
void record_step(spank_t spank);

}  // namespace huddle
