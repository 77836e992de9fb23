// What huddle forecast prints for programs: docs/formats/forecast.md.

#include "aggregator/commands/forecast/forecast_output.hpp"
#include "aggregator/forecast/forecast_report_json.hpp"

namespace huddle {

std::string forecast_json(const ForecastAnswer& answer) {
  return forecast_report_json(answer.report, answer.forecasts)
             .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace huddle
