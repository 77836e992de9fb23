#pragma once

#include <atomic>

namespace huddle::recorder {

/// True where a tool of the user's has OpenMP's interface for tools, in the runtime that asked last
/// for one: then regions of that runtime are left alone. Safe from any thread.
inline constinit std::atomic<bool> users_tool{false};

/// The address of LLVM's or Intel's runtime of OpenMP in this process; null if none is visible to
/// all libraries. By a function that the recorder does not have itself.
const void* llvm_runtime() noexcept;

}  // namespace huddle::recorder
