#pragma once

#include <cstdint>

#include "profiles/recorder/call_accounting.hpp"

namespace huddle::recorder {

/// The calls that begin and end a run; they are no lines of calls.def.
enum class LifecycleCall : std::uint32_t { kInit, kInitThread, kFinalize, kCount };

/// A trace's number for it: they follow those of Operation.
constexpr std::uint32_t operation_of(LifecycleCall call) {
  return static_cast<std::uint32_t>(kOperations) + static_cast<std::uint32_t>(call);
}

}  // namespace huddle::recorder
