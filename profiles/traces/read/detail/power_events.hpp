#pragma once

// The events of a location that holds the power of a node's sensors.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/traces/read/detail/records.hpp"
#include "profiles/traces/read/detail/resolved_trace.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::otf2 {

/// Beyond that a trace's power is not read; ten times a second it is 10 days of a node.
inline constexpr std::size_t kMostPowerSamples = 10'000'000;

/// Appends the samples in the file of a location (an id) to those of `power`, which is in the order
/// of the trace's metrics; `left` says how many may still be read. Passes over values that are no
/// power and times that fall. Throws FormatError for a damaged file.
void read_power(const ResolvedTrace& trace, std::uint64_t location, EventRecords records,
                std::size_t& left, std::vector<traces::TracePower>& power);

}  // namespace huddle::otf2
