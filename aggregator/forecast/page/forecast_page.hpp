#pragma once

#include <cstddef>
#include <string>

#include "aggregator/forecast/forecast_report.hpp"

namespace huddle {

struct ForecastPageOptions {
  /// Points of each plot of rows; of more, evenly chosen ones are shown, and the page says so.
  std::size_t most_points = 5000;
};

/// A page of HTML that shows a report in a browser: for each target rows as predicted and as
/// measured, errors by problem size, the six samplings, and tables of all of it. It needs nothing
/// but itself. Names of files, regions and variables are shown as text, whatever they are; what is
/// NaN is shown as absent. Throws Error if a row is of a region that the report does not have.
std::string forecast_page(const ForecastReport& report, const ForecastPageOptions& options = {});

}  // namespace huddle
