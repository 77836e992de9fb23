#pragma once

// What huddle forecast and huddle forecast best print: for people, and for programs as
// docs/formats/forecast.md says.

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/program/best_configuration.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/report/forecast_report.hpp"

namespace huddle {

/// The factors that the rows have columns for; of others 1 stands in configurations, which means
/// nothing.
struct KnownFactors {
  bool size = true;
  bool frequency = true;
  bool nodes = false;
  bool packages = false;
};

/// A report, and predictions for the configurations of --at.
struct ForecastAnswer {
  ForecastReport report;
  KnownFactors known;
  std::vector<ForecastAt> forecasts;
};

std::string forecast_text(const ForecastAnswer& answer);

/// What huddle forecast best was asked and found.
struct BestAnswer {
  double size = 1;
  bool size_known = false;  ///< whether the rows have a column of sizes
  BestOptions options;
  BestConfiguration best;
  /// Regions that others lie inside of.
  std::vector<ContainingRegion> containing;
};

/// A table of the reference and the first `top` candidates, and what to take, in words.
std::string best_text(const BestAnswer& answer, std::size_t top);

}  // namespace huddle
