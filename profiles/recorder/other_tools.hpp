#pragma once

// Other tools in MPI's profiling interface, behind the recorder: libraries that have functions of
// MPI's names, and call the MPI library's by PMPI_X. What the program calls by MPI_X goes to them
// first (docs/decisions/0045-the-recorder-in-ranks-alone.md).

#include <array>
#include <atomic>
#include <string>

#include "profiles/recorder/operations.hpp"

namespace huddle::recorder {

/// The tool's function that comes next for MPI_X, by operation; null while that is not known.
/// Use tool_function().
extern constinit std::array<std::atomic<void*>, kOperations> known_tool_functions;
/// Stands there where the MPI library comes next.
extern constinit char no_tool_function;

/// Looks it up.
[[gnu::cold]] void* find_tool_function(Operation operation) noexcept;

/// The tool's function that a call of the program by MPI_X goes to; null if it goes to the MPI
/// library. Safe from any thread.
[[gnu::always_inline]] inline void* tool_function(Operation operation) noexcept {
  void* const known =
      known_tool_functions[static_cast<std::size_t>(operation)].load(std::memory_order_relaxed);
  if (known == &no_tool_function) [[likely]]
    return nullptr;
  return known != nullptr ? known : find_tool_function(operation);
}

/// Tells if any of the calls that are counted goes to a tool first.
bool tools_follow() noexcept;

/// The libraries that they go to, by name, joined by commas. Throws std::bad_alloc.
std::string names_of_tools();

}  // namespace huddle::recorder
