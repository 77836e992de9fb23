#pragma once

#include <array>
#include <string>
#include <string_view>

namespace huddle {

/// `list`, an LD_PRELOAD value (entries parted by spaces or colons), with `library` in front;
/// unchanged if it is in it.
std::string preload_with(std::string_view list, std::string_view library);

/// `list` without `library`.
std::string preload_without(std::string_view list, std::string_view library);

/// Endings of the stems of the recorders that stand beside Open MPI's: that for MPICH's family, and
/// that for programs of MPI's standard ABI.
inline constexpr std::array<std::string_view, 2> kOtherRecorders = {"_mpich", "_abi"};

/// Name of another recorder beside `recorder`, which is Open MPI's: <stem><which><extension>.
/// `which`: one of kOtherRecorders.
std::string recorder_beside(std::string_view recorder, std::string_view which);

/// The path of the library beside `recorder` that hands recorders on from a rank's wrapper to the
/// programs that it starts, as far as they may get them: libhuddle_exec.so.
std::string handover_beside(std::string_view recorder);

/// `list` with all recorders in front. Which MPI a program uses shows only once it runs (it may be
/// started by a script, or several may be), so all are preloaded, and the wrong ones stand aside.
/// `recorder` comes first, since it hands on calls whose arguments are as wide as any; the others
/// follow if they can be read.
std::string preload_with_recorders(std::string_view list, std::string_view recorder);

/// `list` without the recorders, and without what hands them on.
std::string preload_without_recorders(std::string_view list, std::string_view recorder);

}  // namespace huddle
