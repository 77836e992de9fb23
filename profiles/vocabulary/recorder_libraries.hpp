#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// The recorder is a library for each MPI. Which MPI a program uses shows only once it runs (it may
/// be started by a script, or several may be), so all are preloaded, and all but the right one
/// stand aside. They must come in this order: `recorder`, which is Open MPI's and hands on calls
/// whose arguments are as wide as any; then MPICH's, which stands beside it under the name
/// <stem>_mpich<extension>.

/// The name of MPICH's recorder beside `recorder`.
std::string mpich_recorder_beside(std::string_view recorder);

/// `list`, an LD_PRELOAD value, with the recorders in front: MPICH's only if it can be read.
std::string preload_with_recorders(std::string_view list, std::string_view recorder);

/// `list` without the recorders.
std::string preload_without_recorders(std::string_view list, std::string_view recorder);

}  // namespace huddle
