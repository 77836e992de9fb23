#include "aggregator/forecast/page/forecast_page.hpp"

#include "aggregator/forecast/page/forecast_page_data.hpp"
#include "aggregator/render/webpage/page_source.hpp"
#include "aggregator/render/webpage/web_page.hpp"

namespace huddle {

std::string forecast_page(const ForecastReport& report, const ForecastPageOptions& options) {
  return web_page(kForecastPage, forecast_page_data(report, options));
}

}  // namespace huddle
