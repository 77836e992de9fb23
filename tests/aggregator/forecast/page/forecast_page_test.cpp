#include "aggregator/forecast/page/forecast_page.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "aggregator/forecast/report/report_json.hpp"
#include "tests/aggregator/forecast/page/made_up_forecast.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle {
namespace {

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_CASE("no name ends the scripts of the forecast's page") {
  const std::string usual = forecast_page(made_up_forecast({}));
  const std::string odd = forecast_page(made_up_forecast({.prefix = "</script><script>"}));
  CHECK(count_of(odd, "</script>") == count_of(usual, "</script>"));
  CHECK(odd.ends_with("</html>\n"));
}

TEST_CASE("the forecast's page loads nothing") {
  const std::string page = forecast_page(made_up_forecast({.rows = 10}));
  CHECK(count_of(page, "src=") == 0);
  CHECK(count_of(page, "href=") == 0);
  // The name of SVG's namespace, which nobody loads.
  CHECK(count_of(page, "http") == count_of(page, "http://www.w3.org/2000/svg") +
                                      count_of(page, "http-equiv=\"Content-Security-Policy\""));
}

TEST_CASE("of many rows evenly chosen ones are on the page") {
  const ForecastReport report = made_up_forecast({.rows = 1000});
  const nlohmann::ordered_json data = forecast_page_data(report, 100);
  const nlohmann::ordered_json& points = data["plots"][0]["sampling"];
  CHECK(points["all"] == 1000);
  REQUIRE(points["measured"].size() == 100);
  CHECK(points["measured"][0] == report.studies[0].rows[0].measured);
  CHECK(points["measured"][99] == report.studies[0].rows[990].measured);
}

TEST_CASE("a report without anything still is a page") {
  const nlohmann::ordered_json data = forecast_page_data({});
  CHECK(data["report"]["studies"].empty());
  CHECK(data["plots"][0]["held_out"]["all"] == 0);
  CHECK(forecast_page({}).ends_with("</html>\n"));
}

TEST_CASE("what was only validated has no study on the page") {
  ForecastReport report = made_up_forecast({.energy = false});
  report.studies.clear();
  const nlohmann::ordered_json data = forecast_page_data(report);
  CHECK(data["report"]["studies"].empty());
  CHECK(data["report"]["validations"][0]["results"].size() == 9);
  REQUIRE(data["plots"][1]["target"] == "time");
  CHECK(data["plots"][1]["sampling"]["all"] == 0);
  CHECK(data["plots"][1]["held_out"]["all"] == 300);
}

TEST_CASE("the page has the report as programs get it") {
  const ForecastReport report = made_up_forecast({});
  CHECK(forecast_page_data(report)["report"].dump() == forecast_report_json(report).dump());
}

TEST_CASE("an election of a sampling that is not there is none") {
  ForecastReport report = made_up_forecast({});
  report.studies[0].elected = 6;
  report.studies[0].fewest.reset();
  const nlohmann::ordered_json data = forecast_page_data(report);
  CHECK(data["report"]["studies"][0]["elected"].is_null());
  CHECK(data["report"]["studies"][0]["fewest"].is_null());
}

TEST_CASE("a row of a region that is not there gives no page") {
  ForecastReport report = made_up_forecast({});
  report.validations[0].rows[5].region = 3;
  CHECK(error_of([&] { forecast_page(report); }) ==
        "the forecast has a row of a region that it does not have");
}

}  // namespace
}  // namespace huddle
