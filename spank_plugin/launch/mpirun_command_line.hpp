#pragma once

#include <string_view>
#include <vector>

namespace huddle {

/// Whether the mpirun of Open MPI with these arguments (its own name first) may be given a rankfile
/// for `ranks` ranks. It ends with an error if it has to place more ranks than the file names, or
/// if the user also says where ranks go: so only if `-n` is absent or equal to `ranks`, there is
/// one program, and no word of the line places ranks. Words behind the program's name count as
/// well, since which options take a value depends on the version: the worst is then a job that runs
/// as its user wrote it.
bool mpirun_may_follow(const std::vector<std::string_view>& arguments, unsigned long ranks);

/// Whether an mpirun of Open MPI or MPICH with these arguments starts one program on `ranks` ranks:
/// `-n` is absent or equal to `ranks`.
bool mpirun_starts(const std::vector<std::string_view>& arguments, unsigned long ranks);

}  // namespace huddle
