// Pages of made-up forecasts, and what is in them: made_up_forecasts page|json KIND. The latter is
// the report as --json would print it, and all rows of plots.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "aggregator/forecast/page/forecast_page.hpp"
#include "aggregator/forecast/report/report_json.hpp"
#include "tests/aggregator/forecast/page/made_up_forecast.hpp"

namespace {

using namespace huddle;
using Json = nlohmann::ordered_json;

const std::map<std::string, MadeUp> kKinds = {
    {"usual", {}},
    // Names that would be something else to a browser if they were not escaped; absent numbers.
    {"odd",
     {.rows = 40,
      .prefix = "<b>\"&'</script><img src=x onerror=document.title='broken'>\xff ",
      .absent_numbers = true}},
    {"one-size", {.sizes = 1, .regions = 1}},
    {"no-energy", {.rows = 30, .energy = false, .regions = 1}},
    {"threads", {.factor = "threads"}},
    {"decades", {.rows = 1200, .sizes = 12, .decades = 6}},
    {"narrow", {.rows = 60, .decades = 0.02, .regions = 1}},
    {"long-names",
     {.regions = 14,
      .prefix = "std::vector<std::complex<double>>::a_name_that_does_not_end_where_it_should::"}},
    {"large", {.rows = 20'000, .sizes = 24}},
};

Json row_json(const PredictedRow& row) {
  return {{"region", row.region},
          {"size", row.where.size},
          {"processes", row.where.processes},
          {"threads", row.where.threads},
          {"frequency", row.where.frequency_ghz},
          {"measured", row.measured},
          {"value", row.predicted.value},
          {"low", row.predicted.low},
          {"high", row.predicted.high}};
}

Json rows_json(const std::vector<PredictedRow>& rows) {
  Json array = Json::array();
  for (const PredictedRow& row : rows) array.push_back(row_json(row));
  return array;
}

std::string output(const std::string& what, const MadeUp& kind) {
  const ForecastReport report = made_up_forecast(kind);
  if (what == "page") return forecast_page(report);
  Json json = {{"report", forecast_report_json(report)}};
  for (const MethodStudy& study : report.studies)
    json["sampling_rows"].push_back(rows_json(study.rows));
  for (const Validation& validation : report.validations)
    json["held_out_rows"].push_back(rows_json(validation.rows));
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("expected page or json, and a kind");
    const std::string text = output(argv[1], kKinds.at(argv[2]));
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? EXIT_SUCCESS
                                                                           : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
