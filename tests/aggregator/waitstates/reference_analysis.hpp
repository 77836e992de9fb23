#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {

/// The findings of the reference, and their counterpart in a report.
struct PlainReport {
  struct Waits {
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
    std::uint64_t longest = 0;
    friend bool operator==(const Waits&, const Waits&) = default;
  };
  /// Pattern's name, location, path: "main/MPI_Recv".
  std::map<std::tuple<std::string, std::uint32_t, std::string>, Waits> waits;
  /// Location, path: visits and ticks.
  std::map<std::pair<std::uint32_t, std::string>, std::pair<std::uint64_t, std::uint64_t>> times;
  std::uint64_t violations = 0;
  friend bool operator==(const PlainReport&, const PlainReport&) = default;
};

/// Wait states of a sound trace, found plainly and slowly: all events in memory, everything matched
/// first, then timed, then summed. Shares no code with the replay.
PlainReport reference_analysis(const MemoryTrace& trace);

}  // namespace huddle::waitstates
