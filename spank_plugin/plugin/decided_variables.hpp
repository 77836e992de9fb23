#pragma once

namespace huddle {

/// Takes back, in this process's environment, what a submission told its job (see
/// job_environment.hpp), the preloaded libraries included. A job can submit others, and what was
/// decided for the one is wrong for the other. To be called from sbatch, salloc and srun only,
/// which read their options in one thread.
void forget_what_was_decided();

}  // namespace huddle
