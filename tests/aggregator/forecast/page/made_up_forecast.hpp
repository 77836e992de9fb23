#pragma once

#include <cstddef>
#include <string>

#include "aggregator/forecast/report/forecast_report.hpp"

namespace huddle {

/// How a made-up forecast differs from the usual one: three regions, six sizes, energy and time.
struct MadeUp {
  std::size_t rows = 300;       ///< of each plot
  std::size_t sizes = 6;        ///< with one there are no errors by size
  bool energy = true;           ///< otherwise time only
  double decades = 3;           ///< from the least to the largest number
  std::size_t regions = 3;      ///< with one it has no name
  std::string prefix = "";      ///< of all names
  std::string factor = "size";  ///< whose whole values were held out
  bool absent_numbers = false;  ///< some are NaN, and some rows are not above 0
};

/// A report with plausible numbers that nobody measured; the same on each call.
ForecastReport made_up_forecast(const MadeUp& what);

}  // namespace huddle
