#include "aggregator/forecastpage/forecast_page.hpp"

#include "aggregator/forecastpage/forecast_page_data.hpp"
#include "aggregator/webpage/page_source.hpp"
#include "aggregator/webpage/web_page.hpp"

namespace huddle {

std::string forecast_page(const ForecastReport& report, const ForecastPageOptions& options) {
  return web_page(kForecastPage, forecast_page_data(report, options));
}

}  // namespace huddle
