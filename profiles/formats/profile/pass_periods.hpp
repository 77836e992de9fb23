#pragma once

#include <cstdint>
#include <vector>

namespace huddle {

/// A sequence of phases that a rank went through again and again: passes that are a period apart
/// are of one group, and take about as long.
struct PassPeriodRecord {
  /// The number of a pass of the rank's phases, from 0 on, from which on it was seen.
  std::uint64_t first = 0;
  /// In how many passes it was seen. Passes in between may not have been looked at.
  std::uint64_t passes = 0;
  /// The groups of the passes of one period, from `first` on: ids of the profile's phase groups. At
  /// least 2, and at most `passes`.
  std::vector<std::uint64_t> groups;

  friend bool operator==(const PassPeriodRecord&, const PassPeriodRecord&) = default;
};

}  // namespace huddle
