#pragma once

#include <string>
#include <string_view>

namespace huddle {

/// `list`, an LD_PRELOAD value (entries parted by spaces or colons), with `library` in front;
/// unchanged if it is in it.
std::string preload_with(std::string_view list, std::string_view library);

/// `list` without `library`.
std::string preload_without(std::string_view list, std::string_view library);

/// The name of MPICH's recorder beside `recorder`, which is Open MPI's: <stem>_mpich<extension>.
std::string mpich_recorder_beside(std::string_view recorder);

/// The path of the library beside `recorder` that hands recorders on from a rank's wrapper to the
/// programs that it starts, as far as they may get them: libhuddle_exec.so.
std::string handover_beside(std::string_view recorder);

/// `list` with the recorders of both MPIs in front. Which MPI a program uses shows only once it
/// runs (it may be started by a script, or several may be), so both are preloaded, and the wrong
/// one stands aside. `recorder` comes first, since it hands on calls whose arguments are as wide as
/// any; MPICH's follows if it can be read.
std::string preload_with_recorders(std::string_view list, std::string_view recorder);

/// `list` without the recorders, and without what hands them on.
std::string preload_without_recorders(std::string_view list, std::string_view recorder);

}  // namespace huddle
