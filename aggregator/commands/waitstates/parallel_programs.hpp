#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace huddle {

/// A word of the command line that another one stands for now.
struct ChangedWord {
  std::string from;
  std::string to;
};

/// Turns this process into one of a parallel `huddle waitstates`, if it is to be one: an MPI
/// launcher started several of it (mpirun, srun), or `processes` > 1 asks for mpirun. The words
/// behind `waitstates` on this process's command line go with it, `changed`. Else returns. Throws
/// UsageError (srun without MPI, ...) and Error if the program is not installed or can't be
/// started.
void become_parallel(std::uint32_t processes, const std::vector<ChangedWord>& changed);

}  // namespace huddle
