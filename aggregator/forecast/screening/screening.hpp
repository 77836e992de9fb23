#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

struct ScreeningSettings {
  /// Only rows of these regions stay; all of these do, however small. Empty: all regions.
  std::vector<std::string> regions = {};
  /// Regions with a smaller share of the program's energy (of its time, if no energy was measured)
  /// are left out, of 1; the largest region never is. 0: none.
  double least_share = 0.01;
  /// Whether the rows of several regions are added up: then rows for which a slow meter reads 0 J
  /// are parts like others, and stay.
  bool sums = false;
};

/// Rows that screening took out.
struct Screening {
  std::vector<LeftOutRows> left_out;
  std::size_t kept = 0;
  /// Of the table's regions, before small ones were taken out.
  OutermostRegions nesting;
  std::vector<std::string> remarks;
};

/// Takes out rows that can't be right or are of no use, and says which and why: copies of other
/// rows; times, energies, sizes and counts that are not above 0; energies that mean a power far
/// from that of like rows; counters that have overflowed; regions that matter little. What is
/// merely far from the others, as noise is, stays. A column of energy that is 0 most of the time is
/// taken out, since there was no meter then. See docs/formats/measurements.md.
///
/// Throws Error if no row would stay; UsageError, with the names there are, if one of the
/// settings' regions is not among the rows.
Screening screen(MeasurementTable& rows, const ScreeningSettings& settings);

/// Whether all rows have the same value: such a column is of no use.
bool is_constant(const MeasuredColumn& column);

}  // namespace huddle
