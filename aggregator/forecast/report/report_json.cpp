#include "aggregator/forecast/report/report_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace huddle {
namespace {

using Json = nlohmann::ordered_json;

Json encoded(const std::vector<LeftOutRows>& left_out) {
  Json all = Json::array();
  for (const LeftOutRows& rows : left_out)
    all.push_back({{"reason", rows.reason}, {"rows", rows.rows}, {"first", rows.first}});
  return all;
}

Json encoded(const SamplingResult& sampling) {
  return {{"name", sampling.name},
          {"one_in", sampling.one_in},
          {"training_rows", sampling.training_rows},
          {"test_rows", sampling.test_rows},
          {"possible", sampling.possible},
          {"r2", sampling.r2},
          {"linear_r2", sampling.linear_r2},
          {"seconds", sampling.seconds},
          {"linear_seconds", sampling.linear_seconds},
          {"selection", sampling.selection},
          {"cross_validated_r2", sampling.cross_validated_r2},
          {"coverage", sampling.coverage}};
}

// Null if there is none with that index.
Json name_at(const std::vector<SamplingResult>& samplings, std::optional<std::size_t> index) {
  return index && *index < samplings.size() ? Json(samplings[*index].name) : Json();
}

Json encoded(const MethodStudy& study) {
  Json out = {{"target", name_of(study.target)}};
  out["variables"] = Json::array();
  for (const VariableImportance& variable : study.importance)
    out["variables"].push_back({{"variable", variable.variable},
                                {"importance", variable.importance},
                                {"kept", variable.kept}});
  out["all_variables_r2"] = study.all_variables_r2;
  out["kept_variables_r2"] = study.kept_variables_r2;
  out["compared"] = name_at(study.samplings, study.compared);
  out["samplings"] = Json::array();
  for (const SamplingResult& sampling : study.samplings)
    out["samplings"].push_back(encoded(sampling));
  out["elected"] = name_at(study.samplings, study.elected);
  out["fewest"] = name_at(study.samplings, study.fewest);
  out["asked_r2"] = study.asked_r2;
  out["seconds"] = study.seconds;
  out["remarks"] = study.remarks;
  return out;
}

std::string_view name_of_held_out(HeldOut held_out) {
  switch (held_out) {
    case HeldOut::rows:
      return "rows";
    case HeldOut::sizes_between:
      return "sizes_between";
    case HeldOut::sizes_beyond:
      return "sizes_beyond";
  }
  return "";
}

Json encoded(const Validation& validation) {
  Json out = {{"target", name_of(validation.target)}, {"factor", validation.factor}};
  out["results"] = Json::array();
  for (const ValidationResult& result : validation.results)
    out["results"].push_back({{"held_out", name_of_held_out(result.held_out)},
                              {"model", result.model},
                              {"rows", result.rows},
                              {"r2", result.r2},
                              {"median_error", result.median_error},
                              {"coverage", result.coverage}});
  out["by_size"] = Json::array();
  for (const SizeError& error : validation.by_size)
    out["by_size"].push_back({{"held_out", name_of_held_out(error.held_out)},
                              {"model", error.model},
                              {"size", error.size},
                              {"rows", error.rows},
                              {"median_error", error.median_error}});
  out["remarks"] = validation.remarks;
  return out;
}

Json encoded(const std::optional<Estimate>& estimate) {
  if (!estimate) return {};
  return {{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}};
}

Json encoded(const ForecastAt& forecast) {
  return {{"size", forecast.where.size},
          {"processes", forecast.where.processes},
          {"threads", forecast.where.threads},
          {"frequency_ghz", forecast.where.frequency_ghz},
          {"nodes", forecast.where.nodes},
          {"packages", forecast.where.packages},
          {"time_s", encoded(forecast.time_s)},
          {"time_model", forecast.time_model},
          {"energy_j", encoded(forecast.energy_j)},
          {"energy_model", forecast.energy_model},
          {"measured_rows", forecast.measured_rows},
          {"beyond", forecast.beyond},
          {"time_not_predicted", forecast.time_not_predicted},
          {"energy_not_predicted", forecast.energy_not_predicted}};
}

template <typename Items>
Json list(const Items& items) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(encoded(item));
  return all;
}

}  // namespace

Json containing_json(const std::vector<ContainingRegion>& containing) {
  Json all = Json::array();
  for (const ContainingRegion& region : containing)
    all.push_back({{"region", region.region},
                   {"inside", region.inside},
                   {"known_by", name_of(region.known_by)}});
  return all;
}

Json forecast_report_json(const ForecastReport& report, const std::vector<ForecastAt>& forecasts) {
  Json out = {{"files", report.files}};
  out["read"] = {{"bytes", report.reading.bytes},
                 {"rows", report.reading.rows},
                 {"kept", report.reading.kept},
                 {"stride", report.reading.stride},
                 {"left_out", encoded(report.reading.left_out)},
                 {"remarks", report.reading.remarks}};
  out["screened"] = {{"kept", report.screening.kept},
                     {"left_out", encoded(report.screening.left_out)},
                     {"remarks", report.screening.remarks}};
  out["regions"] = report.regions;
  out["containing"] = containing_json(report.screening.nesting.containing);
  out["sizes"] = report.sizes;
  out["configurations"] = report.configurations;
  out["studies"] = list(report.studies);
  out["validations"] = list(report.validations);
  out["forecasts"] = list(forecasts);
  out["remarks"] = report.remarks;
  return out;
}

}  // namespace huddle
