#pragma once

// The one door to MPI for the recorder's own code. The library that the program uses is not linked:
// functions and constants are looked up when they are needed, since the recorder is also loaded
// into shells and launchers, where there is no MPI at all.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <array>
#include <atomic>
#include <string>

/// The function of that name that comes next after this recorder's module; null if there is none.
extern "C" [[gnu::visibility("default")]] void* huddle_behind_recorder(const char* name);

namespace huddle::recorder {

/// The function of that name ("PMPI_Send") that comes next after the recorder's: the MPI library's.
/// If there is none, the address of a function that prints that once and returns MPI_ERR_INTERN.
void* find_real(const char* name) noexcept;

/// Where another tool in MPI's profiling interface comes next: its function under the name without
/// the P of `name` ("PMPI_Send"), to be called for the program; null if the MPI library comes next.
void* find_tool(const char* name) noexcept;

/// The functions of that name that the program's modules call if the recorder has none: what comes
/// next by the loader's order, which may be another recorder's, what comes next when those are
/// passed over, and the MPI library's own. Null where there is none.
std::array<void*, 3> find_called(const char* name) noexcept;

/// True if the program's MPI library is the one that this recorder was built for. Handles mean
/// nothing elsewhere.
bool is_the_programs_library() noexcept;

/// True if is_the_programs_library() and MPI was initialized in this process. For a recorder that
/// saw nobody do it: the program then calls functions that it took from the library by dlsym().
bool is_used_past_recorder() noexcept;

/// True if the recorder of another MPI library comes after this one: then that one deals with a
/// program that is not this one's.
bool another_recorder_follows() noexcept;

/// MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL, MPI_REQUEST_NULL, MPI_WIN_NULL,
/// MPI_MESSAGE_NO_PROC, MPI_DATATYPE_NULL, MPI_BYTE, MPI_ERRORS_RETURN, MPI_NO_OP, MPI_BOR,
/// MPI_DOUBLE, MPI_MAX, MPI_SUM and MPI_INFO_NULL. In some libraries these are addresses inside the
/// library: use these functions only, and only while is_the_programs_library().
MPI_Comm world_communicator() noexcept;
MPI_Comm self_communicator() noexcept;
MPI_Comm no_communicator() noexcept;
MPI_Request no_request() noexcept;
MPI_Win no_window() noexcept;
MPI_Message message_of_nobody() noexcept;
MPI_Datatype no_datatype() noexcept;
MPI_Datatype byte_datatype() noexcept;
MPI_Errhandler errors_return() noexcept;
MPI_Op no_op() noexcept;
MPI_Op bit_or() noexcept;
MPI_Datatype double_datatype() noexcept;
MPI_Op maximum() noexcept;
MPI_Op sum() noexcept;
MPI_Info no_info() noexcept;

/// True if this world was made by MPI_Comm_spawn. After MPI_Init, while is_the_programs_library().
bool was_spawned() noexcept;

/// The first line of MPI_Get_library_version, at most 200 bytes; empty if that fails.
std::string library_version();

}  // namespace huddle::recorder

/// The real PMPI_<Name>, found at its first use: for the recorder's own calls, past all tools.
#define HUDDLE_REAL(Name)                                                                  \
  ([]() noexcept {                                                                         \
    static constinit std::atomic<void*> known{nullptr};                                    \
    void* function = known.load(std::memory_order_relaxed);                                \
    if (function == nullptr) {                                                             \
      function = ::huddle::recorder::find_real("PMPI_" #Name);                             \
      known.store(function, std::memory_order_relaxed);                                    \
    }                                                                                      \
    return reinterpret_cast<decltype(&PMPI_##Name)>(function); /* NOLINT: what dlsym is */ \
  }())

/// The tool's function that MPI_<Name> goes to first, found at its first use; null if there is
/// none.
#define HUDDLE_TOOL(Name)                                                          \
  ([]() noexcept {                                                                 \
    static const auto kTool = reinterpret_cast<decltype(&PMPI_##Name)>(            \
        ::huddle::recorder::find_tool("PMPI_" #Name)); /* NOLINT: what dlsym is */ \
    return kTool;                                                                  \
  }())

/// The next function in line for MPI_<Name>: a tool's, or the MPI library's.
#define HUDDLE_NEXT(Name) (HUDDLE_TOOL(Name) != nullptr ? HUDDLE_TOOL(Name) : HUDDLE_REAL(Name))
