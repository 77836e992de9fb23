#pragma once

// Finds regions of a program that lie inside of others, so that a sum counts them once.

#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// Regions whose times and energies are part of those of other regions.
struct NestedRegions {
  /// True for each region of the table that lies inside of another one.
  std::vector<bool> inside;
  /// Sentences for people: which regions are not added, and why.
  std::vector<std::string> remarks;
};

/// Recognises nested regions by names alone. A region with the name of a whole program ("main",
/// "int main(int, char **)", "MAIN__", ".TAU application", "total") contains all others; without
/// one, a call path lies inside of the region that its beginning names ("main => solve" inside of
/// "main"; also "->", ";" and "/"). Where the column of times (of energies, without times) is
/// called exclusive, no region lies inside of another. Regions without rows contain none.
NestedRegions nested_regions(const MeasurementTable& table);

}  // namespace huddle::forecast
