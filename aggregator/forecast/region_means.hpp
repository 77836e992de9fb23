#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// The mean of a region's rows in one configuration.
struct RegionMean {
  std::uint32_t region = 0;
  double mean = 0;
};

/// By configuration the means of the regions that it has, ascending by region; `values` is one of
/// the table's columns. Takes some 0.1 us for each row.
std::vector<std::vector<RegionMean>> region_means(const MeasurementTable& table,
                                                  std::span<const double> values);

/// By region the sum of all of its rows.
std::vector<double> sums_by_region(const MeasurementTable& table, std::span<const double> values);

}  // namespace huddle
