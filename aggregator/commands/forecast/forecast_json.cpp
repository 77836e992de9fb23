// The output of huddle forecast --json, as docs/formats/forecast.md says.

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "aggregator/commands/forecast/forecast_output.hpp"

namespace huddle::cli {
namespace {

using Json = nlohmann::ordered_json;

Json encoded(const std::vector<forecast::LeftOutRows>& left_out) {
  Json all = Json::array();
  for (const forecast::LeftOutRows& rows : left_out)
    all.push_back({{"reason", rows.reason}, {"rows", rows.rows}, {"first", rows.first}});
  return all;
}

Json encoded(const forecast::SamplingResult& sampling) {
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
          {"cross_validated_r2", sampling.cross_validated_r2}};
}

// Null if there is none with that index.
Json name_at(const std::vector<forecast::SamplingResult>& samplings,
             std::optional<std::size_t> index) {
  return index && *index < samplings.size() ? Json(samplings[*index].name) : Json();
}

Json encoded(const forecast::MethodStudy& study) {
  Json out = {{"target", name_of(study.target)}};
  out["variables"] = Json::array();
  for (const forecast::VariableImportance& variable : study.importance)
    out["variables"].push_back({{"variable", variable.variable},
                                {"importance", variable.importance},
                                {"kept", variable.kept}});
  out["all_variables_r2"] = study.all_variables_r2;
  out["kept_variables_r2"] = study.kept_variables_r2;
  out["compared"] = name_at(study.samplings, study.compared);
  out["samplings"] = Json::array();
  for (const forecast::SamplingResult& sampling : study.samplings)
    out["samplings"].push_back(encoded(sampling));
  out["elected"] = name_at(study.samplings, study.elected);
  out["fewest"] = name_at(study.samplings, study.fewest);
  out["asked_r2"] = study.asked_r2;
  out["seconds"] = study.seconds;
  out["remarks"] = study.remarks;
  return out;
}

Json encoded(const std::optional<forecast::Estimate>& estimate) {
  if (!estimate) return {};
  return {{"value", estimate->value}, {"low", estimate->low}, {"high", estimate->high}};
}

Json encoded(const forecast::ForecastAt& forecast) {
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

std::string forecast_json(const ForecastAnswer& answer) {
  Json out = {{"files", answer.files}, {"verdict", verdict_of(answer)}};
  out["read"] = {
      {"bytes", answer.reading.bytes},     {"rows", answer.reading.rows},
      {"kept", answer.reading.kept},       {"left_out", encoded(answer.reading.left_out)},
      {"remarks", answer.reading.remarks}, {"warnings", answer.reading.warnings}};
  out["screened"] = {{"kept", answer.screening.kept},
                     {"left_out", encoded(answer.screening.left_out)},
                     {"remarks", answer.screening.remarks}};
  out["regions"] = answer.regions;
  out["sizes"] = answer.sizes;
  out["configurations"] = answer.configurations;
  out["studies"] = list(answer.studies);
  out["forecasts"] = list(answer.forecasts);
  out["next"] = list(answer.next);
  out["remarks"] = answer.remarks;
  // NaN becomes null.
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace huddle::cli
