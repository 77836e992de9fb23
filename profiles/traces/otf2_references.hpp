#pragma once

// Internal to the writer of traces.

#include <cstdint>

#include "profiles/traces/trace.hpp"

namespace huddle {

/// How OTF2's references follow from indices in TraceDefinitions, so that processes that write one
/// archive need not ask each other.
/// Regions, communicators and windows: their index. Teams: behind the communicators.
inline constexpr std::uint32_t kMpiLocationsGroup = 0;
inline constexpr std::uint32_t kSelfGroup = 1;
inline constexpr std::uint32_t kFirstGroup = 2;  ///< TraceDefinitions::groups from here on

/// As Score-P numbers them, and so name the files.
constexpr std::uint64_t location_reference(const TraceLocation& location) {
  return std::uint64_t{location.thread} << 32U | location.rank;
}

}  // namespace huddle
