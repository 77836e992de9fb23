#pragma once

// Internal to screen().

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// A row with a counter that has overflowed, and so is too small.
struct OverflowedCounter {
  std::size_t row = 0;
  std::string column;

  friend bool operator==(const OverflowedCounter&, const OverflowedCounter&) = default;
};

/// Rows with a negative count, and rows whose count (or energy, as RAPL's counters wrap) is less
/// than 60 % of what the smaller sizes let expect, comes near to that with some times 2^32 or 2^48
/// added, and whose time is as expected. Expected: the power law through the rows of the same
/// region, processes, threads and frequency. Ascending, each row once.
std::vector<OverflowedCounter> find_overflowed(const MeasurementTable& rows);

}  // namespace huddle
