#pragma once

#include <cstdint>

namespace huddle {

/// Turns this process into one of a parallel `huddle waitstates`, if it is to be one: an MPI
/// launcher started several of it (mpirun, srun), or `processes` > 1 asks for mpirun. The words
/// behind `waitstates` on this process's command line go with it. Else returns. Throws UsageError
/// (srun without MPI, ...) and Error if the program is not installed or can't be started.
void become_parallel(std::uint32_t processes);

}  // namespace huddle
