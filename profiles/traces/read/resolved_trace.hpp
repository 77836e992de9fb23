#pragma once

// Internal to the reader of traces.

#include <cstdint>
#include <string_view>
#include <vector>

#include "profiles/traces/read/global_definitions.hpp"
#include "profiles/traces/id_table.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

/// Which of MPI's calls a synchronisation of a window belongs to: OTF2 tells no more than that
/// there was one.
enum class WindowCall : std::uint8_t { kNone, kPost, kStart, kComplete, kWait };

/// A trace's definitions with their references followed, and how to come from the numbers in its
/// events to them.
struct ResolvedTrace {
  TraceDefinitions definitions;
  std::uint64_t begin = 0;                  ///< ticks of the trace's clock
  std::vector<std::uint64_t> location_ids;  ///< by location

  IdTable regions;
  IdTable communicators;
  IdTable windows;
  IdTable groups;
  IdTable teams;  ///< by the number of their communicator

  struct CallingContext {
    std::uint32_t region = kNobody;
    std::uint32_t parent = kNobody;
  };
  std::vector<CallingContext> contexts;
  IdTable context_ids;

  std::vector<WindowCall> window_calls;  ///< by region
};

/// `name` is for errors. Throws FormatError for definitions without locations or ranks, or of which
/// no ranks can be made; what else names nothing is left out, with a remark.
ResolvedTrace resolve(const GlobalDefinitions& raw, std::string_view name);

}  // namespace huddle::otf2
