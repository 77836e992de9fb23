#pragma once

// The MPI library that the process has loaded, found by what it has and by what it says of itself:
// MPICH's family alone goes by a dozen names (libmpich.so.12, libmpi.so.12, libmpi_cray.so.12).

#include <optional>
#include <string>

namespace huddle::recorder {

/// Application binary interfaces of MPI: what handles, constants and statuses are in a program.
enum class MpiAbi {
  kOpenMpi,   ///< Open MPI 4 to 6
  kMpich,     ///< MPICH, and those that share its interface: Intel MPI, MVAPICH, Cray MPICH
  kStandard,  ///< that of MPI 5.0, section 20, which both have as libmpi_abi.so
};

/// The interface of the library in which dlsym() finds functions by `scope` (a handle, or
/// RTLD_DEFAULT); none if there is no MPI library, or one of another interface. Calls the library
/// for its version, which MPI allows at any time.
std::optional<MpiAbi> abi_in(void* scope);

/// The first line of what a library says of itself by its MPI_Get_library_version, at most 200
/// bytes; empty for null, and if that fails.
std::string version_of(int (*get_library_version)(char*, int*));

/// The path of a library with that interface among all that are loaded, also those that the program
/// loaded for itself only (an interpreter's module does that); empty if there is none.
std::string loaded_library_of(MpiAbi abi);

/// Names an MPI library that is loaded, whatever its interface, for a message: what it says of
/// itself and its path; empty if there is none.
std::string describe_loaded_mpi();

}  // namespace huddle::recorder
