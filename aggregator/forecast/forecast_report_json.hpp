#pragma once

// Internal to what writes JSON and pages: brings nlohmann/json.

#include <nlohmann/json.hpp>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/program_forecast.hpp"

namespace huddle {

/// What huddle forecast --json prints, as docs/formats/forecast.md says: the report, and what --at
/// asked for. Rows for plots are not in it. What is NaN becomes null when it is written, and so
/// does the name of a sampling that the study does not have.
nlohmann::ordered_json forecast_report_json(const ForecastReport& report,
                                            const std::vector<ForecastAt>& forecasts = {});

}  // namespace huddle
