#pragma once

// Internal to the page: brings nlohmann/json.

#include <nlohmann/json.hpp>

#include "aggregator/forecast/page/forecast_page.hpp"

namespace huddle {

/// What the page's script reads: `report` is what --json prints, `plots` the rows to draw of each
/// target, column by column (`sampling`: test rows of the elected one; `held_out`: of whole sizes).
nlohmann::ordered_json forecast_page_data(const ForecastReport& report,
                                          const ForecastPageOptions& options);

}  // namespace huddle
