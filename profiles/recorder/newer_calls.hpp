#pragma once

// MPI 4's functions. The recorder exports none of them, whatever its header has: a program may ask
// by a weak symbol whether its library has a function (mpi4py does), and must get the library's
// answer. Their wrappers are put in the place of the library's functions where it has them.

#include "profiles/recorder/mpi/mpi_library.hpp"

// An older mpi.h lacks them; what a newer one has is checked against calls_of_mpi_4.def here.
extern "C" {
#define HUDDLE_CALL(Name, Parameters, Arguments, Account, Trace) \
  extern int MPI_##Name Parameters;                              \
  extern int PMPI_##Name Parameters;
#include "profiles/recorder/calls_of_mpi_4.def"

#include "profiles/recorder/call_kinds_end.def"
}

namespace huddle::recorder {

/// Lets calls of MPI 4's functions reach the recorder's wrappers from all modules that are loaded,
/// where the program's library has these functions. Before anything is counted.
void reach_newer_calls() noexcept;

/// True if a module that was loaded since calls such functions past the recorder.
bool newer_calls_go_past() noexcept;

}  // namespace huddle::recorder
