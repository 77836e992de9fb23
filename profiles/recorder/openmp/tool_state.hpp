#pragma once

#include <atomic>
#include <cstdint>

namespace huddle::recorder {

/// Whether runtimes of OpenMP that have an interface for tools report their regions to the
/// recorder.
enum class ToolState : std::uint8_t {
  kNotAsked,   ///< no runtime has asked for a tool yet
  kWatches,    ///< a runtime reports its regions
  kOtherTool,  ///< a tool of the user's has the only place that there is
  kNoMpiYet,   ///< a runtime asked before the program's MPI library was there
  kRefused,    ///< the runtime does not report what is needed
  kAtEntries,  ///< no tool is needed: regions are seen where the program calls the runtime
};

/// The answer to the runtime that asked last. Safe from any thread.
inline constinit std::atomic<ToolState> tool_state{ToolState::kNotAsked};

/// The address of LLVM's or Intel's runtime of OpenMP in this process; null if none is visible to
/// all libraries. By a function that the recorder does not have itself.
const void* llvm_runtime() noexcept;

}  // namespace huddle::recorder
