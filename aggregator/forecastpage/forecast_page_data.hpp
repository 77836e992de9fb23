#pragma once

// Internal to the page: brings nlohmann/json.

#include <nlohmann/json.hpp>

#include "aggregator/forecastpage/forecast_page.hpp"

namespace huddle {

/// What the page's script reads: the report with its own numbers, rows of plots column by column.
nlohmann::ordered_json forecast_page_data(const ForecastReport& report,
                                          const ForecastPageOptions& options);

}  // namespace huddle
