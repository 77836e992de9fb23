#pragma once

// Internal to screen().

#include <cstddef>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

struct DuplicateRows {
  /// Copies of earlier rows, ascending.
  std::vector<std::size_t> copies;
  /// Rows that are like earlier ones, but with so few digits that two runs may well have given
  /// them.
  std::size_t maybe_repeated = 0;
};

/// Rows with the same region and the same values as an earlier row, as of a file that was put
/// behind itself. Time and energy must have so many digits beyond the first two of each number, in
/// the row or in the rows that were copied with it, that two runs can't have come to them by
/// chance.
DuplicateRows find_duplicates(const MeasurementTable& rows);

}  // namespace huddle
