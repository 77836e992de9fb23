#include "aggregator/forecastpage/forecast_page_data.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

Json left_out_json(const std::vector<LeftOutRows>& left_out) {
  Json array = Json::array();
  for (const LeftOutRows& some : left_out)
    array.push_back({{"reason", some.reason}, {"rows", some.rows}, {"first", some.first}});
  return array;
}

// Column by column, evenly chosen if there are too many.
Json points_json(const ForecastReport& report, const std::vector<ForetoldRow>& rows,
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
    const ForetoldRow& row = rows[i * rows.size() / shown];
    if (row.region >= report.regions.size())
      throw Error("the forecast has a row of a region that it does not have");
    region.push_back(row.region);
    size.push_back(row.where.size);
    processes.push_back(row.where.processes);
    threads.push_back(row.where.threads);
    frequency.push_back(row.where.frequency_ghz);
    measured.push_back(row.measured);
    value.push_back(row.foretold.value);
    low.push_back(row.foretold.low);
    high.push_back(row.foretold.high);
  }
  return {{"all", rows.size()},   {"region", region},
          {"size", size},         {"processes", processes},
          {"threads", threads},   {"frequency", frequency},
          {"measured", measured}, {"value", value},
          {"low", low},           {"high", high}};
}

Json sampling_json(const SamplingResult& sampling) {
  return {{"name", sampling.name},
          {"training", sampling.training_rows},
          {"test", sampling.test_rows},
          {"possible", sampling.possible},
          {"r2", sampling.r2},
          {"linearR2", sampling.linear_r2},
          {"seconds", sampling.seconds},
          {"linearSeconds", sampling.linear_seconds},
          {"selection", sampling.selection},
          {"crossR2", sampling.cross_validated_r2},
          {"coverage", sampling.coverage}};
}

Json study_json(const ForecastReport& report, const MethodStudy& study,
                const ForecastPageOptions& options) {
  Json importance = Json::array();
  for (const VariableImportance& variable : study.importance)
    importance.push_back({{"variable", variable.variable},
                          {"importance", variable.importance},
                          {"kept", variable.kept}});
  Json samplings = Json::array();
  for (const SamplingResult& sampling : study.samplings)
    samplings.push_back(sampling_json(sampling));
  const auto index = [&](std::size_t number) {
    return number < study.samplings.size() ? Json(number) : Json();
  };
  return {{"importance", importance},
          {"allVariablesR2", study.all_variables_r2},
          {"keptVariablesR2", study.kept_variables_r2},
          {"samplings", samplings},
          {"elected", index(study.elected)},
          {"fewest", study.fewest ? index(*study.fewest) : Json()},
          {"askedR2", study.asked_r2},
          {"seconds", study.seconds},
          {"remarks", study.remarks},
          {"points", points_json(report, study.rows, options.most_points)}};
}

std::string_view key_of(HeldOut held_out) {
  switch (held_out) {
    case HeldOut::rows:
      return "rows";
    case HeldOut::sizes_between:
      return "between";
    case HeldOut::sizes_beyond:
      return "beyond";
  }
  return "";
}

Json validation_json(const ForecastReport& report, const Validation& validation,
                     const ForecastPageOptions& options) {
  Json results = Json::array();
  for (const ValidationResult& result : validation.results)
    results.push_back({{"heldOut", key_of(result.held_out)},
                       {"model", result.model},
                       {"rows", result.rows},
                       {"r2", result.r2},
                       {"medianError", result.median_error},
                       {"coverage", result.coverage}});
  Json by_size = Json::array();
  for (const SizeError& error : validation.by_size)
    by_size.push_back({{"heldOut", key_of(error.held_out)},
                       {"model", error.model},
                       {"size", error.size},
                       {"rows", error.rows},
                       {"medianError", error.median_error}});
  return {{"results", results},
          {"bySize", by_size},
          {"remarks", validation.remarks},
          {"points", points_json(report, validation.rows, options.most_points)}};
}

// Null if there is none of that target.
template <class Part, class Encode>
Json part_of(const std::vector<Part>& parts, Target target, Encode encode) {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.target == target; });
  return found == parts.end() ? Json() : encode(*found);
}

Json targets_json(const ForecastReport& report, const ForecastPageOptions& options) {
  Json array = Json::array();
  for (const Target target : {Target::energy, Target::time}) {
    Json study = part_of(report.studies, target, [&](const MethodStudy& found) {
      return study_json(report, found, options);
    });
    Json validation = part_of(report.validations, target, [&](const Validation& found) {
      return validation_json(report, found, options);
    });
    if (study.is_null() && validation.is_null()) continue;
    array.push_back({{"target", target == Target::energy ? "energy" : "time"},
                     {"unit", target == Target::energy ? "J" : "s"},
                     {"study", std::move(study)},
                     {"validation", std::move(validation)}});
  }
  return array;
}

}  // namespace

Json forecast_page_data(const ForecastReport& report, const ForecastPageOptions& options) {
  return {{"files", report.files},
          {"reading",
           {{"bytes", report.reading.bytes},
            {"rows", report.reading.rows},
            {"kept", report.reading.kept},
            {"stride", report.reading.stride},
            {"leftOut", left_out_json(report.reading.left_out)},
            {"remarks", report.reading.remarks}}},
          {"screening",
           {{"kept", report.screening.kept},
            {"leftOut", left_out_json(report.screening.left_out)},
            {"remarks", report.screening.remarks}}},
          {"regions", report.regions},
          {"sizes", report.sizes},
          {"configurations", report.configurations},
          {"remarks", report.remarks},
          {"targets", targets_json(report, options)}};
}

}  // namespace huddle
