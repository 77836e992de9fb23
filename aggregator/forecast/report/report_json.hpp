#pragma once

// Encodes forecasts as JSON, as docs/formats/forecast.md says: for the command and for pages.

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/report/forecast_report.hpp"

namespace huddle {

/// The member `containing`.
nlohmann::ordered_json containing_json(const std::vector<ContainingRegion>& containing);

/// The report, and predictions for single configurations. Rows for plots are not in it. NaN becomes
/// null when it is written, and so does the name of a sampling that the study does not have.
nlohmann::ordered_json forecast_report_json(const ForecastReport& report,
                                            const std::vector<ForecastAt>& forecasts = {});

}  // namespace huddle
