#pragma once

// Takes out rows that are of no use to forecasts, and says which and why.

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

struct ScreeningSettings {
  /// Only rows of these regions stay; all of these do, however small. Empty: all regions.
  std::vector<std::string> regions = {};
  /// Regions with a smaller share of the program's energy (of its time, if no energy was measured)
  /// are left out, of 1; the largest region never is. 0: none.
  double least_share = 0.01;
  /// True if the rows of several regions are added up: then rows for which a slow meter reads 0 J
  /// are parts like others, and stay.
  bool sums = false;
};

/// Rows that screening took out.
struct Screening {
  std::vector<LeftOutRows> left_out;
  std::size_t kept = 0;
  std::vector<std::string> remarks;
};

/// Takes out rows of other regions than those that the settings name; rows whose time, energy, size
/// or counts are not above 0; and regions that matter little, as the published method does. A
/// column of energy that is 0 most of the time is taken out, since there was no meter then. Values
/// that are merely odd stay: forests and laws bear outliers. Regions without rows are forgotten.
///
/// Throws Error if no row would stay; UsageError, with the names there are, if one of the settings'
/// regions is not among the rows.
Screening screen(MeasurementTable& rows, const ScreeningSettings& settings);

}  // namespace huddle::forecast
