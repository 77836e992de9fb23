#pragma once

namespace huddle {

/// Throws UsageError if a launcher (mpirun, srun) started this process as one of several: each of
/// them would do the same work, and write the same files.
void expect_single_process();

}  // namespace huddle
