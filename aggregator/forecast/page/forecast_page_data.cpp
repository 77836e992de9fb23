#include "aggregator/forecast/page/forecast_page_data.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "aggregator/forecast/forecast_report_json.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

// Column by column, evenly chosen if there are too many.
Json points_json(const ForecastReport& report, const std::vector<PredictedRow>& rows,
                 std::size_t most) {
  const std::size_t shown = std::min(rows.size(), std::max<std::size_t>(most, 1));
  Json region = Json::array();
  Json size = Json::array();
  Json processes = Json::array();
  Json threads = Json::array();
  Json frequency = Json::array();
  Json measured = Json::array();
  Json value = Json::array();
  Json low = Json::array();
  Json high = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const PredictedRow& row = rows[i * rows.size() / shown];
    if (row.region >= report.regions.size())
      throw Error("the forecast has a row of a region that it does not have");
    region.push_back(row.region);
    size.push_back(row.where.size);
    processes.push_back(row.where.processes);
    threads.push_back(row.where.threads);
    frequency.push_back(row.where.frequency_ghz);
    measured.push_back(row.measured);
    value.push_back(row.predicted.value);
    low.push_back(row.predicted.low);
    high.push_back(row.predicted.high);
  }
  return {{"all", rows.size()},   {"region", region},
          {"size", size},         {"processes", processes},
          {"threads", threads},   {"frequency", frequency},
          {"measured", measured}, {"value", value},
          {"low", low},           {"high", high}};
}

// The rows of the part of that target; none if there is no such part.
template <class Part>
Json points_of(const ForecastReport& report, const std::vector<Part>& parts, Target target,
               std::size_t most) {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.target == target; });
  if (found == parts.end()) return points_json(report, {}, most);
  return points_json(report, found->rows, most);
}

}  // namespace

Json forecast_page_data(const ForecastReport& report, const ForecastPageOptions& options) {
  Json plots = Json::array();
  for (const Target target : {Target::energy, Target::time})
    plots.push_back(
        {{"target", name_of(target)},
         {"sampling", points_of(report, report.studies, target, options.most_points)},
         {"held_out", points_of(report, report.validations, target, options.most_points)}});
  return {{"report", forecast_report_json(report)}, {"plots", std::move(plots)}};
}

}  // namespace huddle
