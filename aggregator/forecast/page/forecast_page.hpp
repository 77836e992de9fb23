#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/report/forecast_report.hpp"

namespace huddle {

/// A page of HTML that shows a report in a browser: the configurations that were asked for, and for
/// each target rows as predicted and as
/// measured, errors by problem size, the six samplings, and tables of all of it. It needs nothing
/// but itself. Names of files, regions and variables are shown as text, whatever they are; NaN is
/// shown as absent. Throws Error if a row is of a region that the report does not have.
std::string forecast_page(const ForecastReport& report,
                          const std::vector<ForecastAt>& forecasts = {});

/// What the page's script reads: `report` is forecast_report_json(), `plots` the rows to draw of
/// each target, column by column (`sampling`: test rows of the elected one; `held_out`: of whole
/// sizes). Of more rows than `most_points`, evenly spread ones are drawn, and the page says so.
nlohmann::ordered_json forecast_page_data(const ForecastReport& report,
                                          std::size_t most_points = 5000,
                                          const std::vector<ForecastAt>& forecasts = {});

}  // namespace huddle
