#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiles/traces/trace.hpp"

namespace huddle::render {

/// The time of one region, over all locations.
struct RegionSummary {
  std::uint32_t region = 0;  ///< index in the trace's definitions
  std::uint64_t visits = 0;
  std::uint64_t ticks = 0;  ///< in it, but not in regions inside it
};

/// The content of a trace, after all of its events were read.
struct TraceSummary {
  traces::TraceDefinitions definitions;
  std::uint64_t begin = 0;  ///< ticks: of the first event and of the last
  std::uint64_t end = 0;
  std::uint64_t events = 0;
  std::uint64_t sent = 0;         ///< messages
  std::uint64_t received = 0;     ///< messages
  std::uint64_t bytes = 0;        ///< sent
  std::uint64_t collectives = 0;  ///< ends of them: one for each member
  std::uint64_t one_sided = 0;
  std::uint64_t inside = 0;            ///< ticks in any region, summed over locations
  std::vector<RegionSummary> regions;  ///< those that were visited, longest first
  /// Oddities in the events, "location: sentence" each; and what could not be read.
  std::vector<std::string> remarks;
  std::vector<std::string> damage;
};

/// Reads all of it, one location after the other. A damaged location's error is in the summary.
/// Calls `progress` with how many of how many locations are read.
TraceSummary summary_of(traces::Trace& trace,
                        const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace huddle::render
