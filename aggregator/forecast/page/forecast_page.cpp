#include "aggregator/forecast/page/forecast_page.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "aggregator/forecast/report/report_json.hpp"
#include "aggregator/render/webpage/page_source.hpp"
#include "aggregator/render/webpage/web_page.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

struct Column {
  const char* name;
  double (*value)(const PredictedRow& row);
};

constexpr std::array<Column, 8> kColumns = {{
    {"size", [](const PredictedRow& row) { return row.where.size; }},
    {"processes", [](const PredictedRow& row) { return row.where.processes; }},
    {"threads", [](const PredictedRow& row) { return row.where.threads; }},
    {"frequency", [](const PredictedRow& row) { return row.where.frequency_ghz; }},
    {"measured", [](const PredictedRow& row) { return row.measured; }},
    {"value", [](const PredictedRow& row) { return row.predicted.value; }},
    {"low", [](const PredictedRow& row) { return row.predicted.low; }},
    {"high", [](const PredictedRow& row) { return row.predicted.high; }},
}};

// Column by column, evenly spread if there are too many rows.
Json points_json(const ForecastReport& report, const std::vector<PredictedRow>& rows,
                 std::size_t most) {
  const std::size_t shown = std::min(rows.size(), std::max<std::size_t>(most, 1));
  Json points = {{"all", rows.size()}, {"region", Json::array()}};
  for (const Column& column : kColumns) points[column.name] = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const PredictedRow& row = rows[i * rows.size() / shown];
    if (row.region >= report.regions.size())
      throw Error("the forecast has a row of a region that it does not have");
    points["region"].push_back(row.region);
    for (const Column& column : kColumns) points[column.name].push_back(column.value(row));
  }
  return points;
}

// The rows of the part of that target; none if there is no such part.
template <class Part>
Json points_of(const ForecastReport& report, const std::vector<Part>& parts, ColumnRole target,
               std::size_t most) {
  const auto found = std::ranges::find(parts, target, &Part::target);
  return points_json(report, found == parts.end() ? std::vector<PredictedRow>() : found->rows,
                     most);
}

}  // namespace

Json forecast_page_data(const ForecastReport& report, std::size_t most_points,
                        const std::vector<ForecastAt>& forecasts) {
  Json plots = Json::array();
  for (const ColumnRole target : {ColumnRole::energy, ColumnRole::time})
    plots.push_back({{"target", name_of(target)},
                     {"sampling", points_of(report, report.studies, target, most_points)},
                     {"held_out", points_of(report, report.validations, target, most_points)}});
  return {{"report", forecast_report_json(report, forecasts)}, {"plots", std::move(plots)}};
}

std::string forecast_page(const ForecastReport& report, const std::vector<ForecastAt>& forecasts) {
  constexpr std::size_t kMostPoints = 5000;
  return web_page(kForecastPage, forecast_page_data(report, kMostPoints, forecasts));
}

}  // namespace huddle
