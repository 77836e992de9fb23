#include "profiles/formats/document/document.hpp"
#include "profiles/formats/model/detail/model_names.hpp"
#include "profiles/formats/model/model.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

ordered_json encoded_texts(const std::vector<std::string>& texts) {
  ordered_json array = ordered_json::array();
  for (const std::string& text : texts) array.push_back(utf8(text));
  return array;
}

template <class Range, class Encode>
ordered_json encoded_all(const Range& range, Encode&& encode) {
  ordered_json array = ordered_json::array();
  for (const auto& element : range) array.push_back(encode(element));
  return array;
}

ordered_json encoded_sample(const ModelSample& sample) {
  ordered_json entry = {{"pattern", utf8(sample.pattern)},
                        {"time_s", sample.time.value},
                        {"relative_error", sample.relative_error},
                        {"counts", ordered_json::object()}};
  for (const auto& [event, count] : sample.counts) entry["counts"][utf8(event)] = count;
  if (sample.clock) entry["clock_hz"] = *sample.clock;
  return entry;
}

ordered_json encoded_program(const ModelProgram& program) {
  return {{"program", utf8(program.program)},
          {"run", utf8(program.run)},
          {"events", program.has_events},
          {"groups", encoded_all(program.groups, [](const ModelGroup& group) {
             return ordered_json{{"name", utf8(group.name)},
                                 {"samples", encoded_all(group.samples, encoded_sample)}};
           })}};
}

ordered_json encoded_shape(const ModelShape& shape) {
  ordered_json machine;
  for (std::size_t i = 0; i < kModelMachineNames.size(); ++i)
    machine[std::string(kModelMachineNames[i])] = shape.machine[i];
  return {{"shape", utf8(shape.shape)},
          {"weight", shape.weight},
          {"machine", machine},
          {"demand", {{"mean", shape.demand_mean}, {"covariance", shape.demand_covariance}}},
          {"tolerance",
           {{"time", shape.time_tolerance},
            {"growth", shape.growth_tolerance},
            {"traffic", shape.traffic_tolerance}}}};
}

ordered_json encoded_paper_fit(const ModelPaperFit& fit) {
  ordered_json entry = {{"target", utf8(fit.target)}};
  if (fit.ipc_class) entry["ipc_class"] = *fit.ipc_class;
  entry["constant"] = fit.constant;
  entry["coefficients"] = fit.coefficients;
  entry["ridge"] = fit.strength;
  entry["samples"] = fit.rows;
  if (fit.left_out_error) entry["left_out_error"] = *fit.left_out_error;
  return entry;
}

ordered_json encoded_left_out(const ModelLeftOut& left_out) {
  return {{"program", utf8(left_out.program)},
          {"run", utf8(left_out.run)},
          {"pattern", utf8(left_out.pattern)},
          {"measured_s", left_out.measured.value},
          {"predicted_s", left_out.predicted.value}};
}

ordered_json encoded_fit(const ModelFit& fit) {
  return {{"events", fit.with_events},
          {"sample_patterns", encoded_texts(fit.sample_patterns)},
          {"shared",
           {{"shapes", encoded_all(fit.shapes, encoded_shape)},
            {"widening", fit.widening},
            {"left_out", encoded_all(fit.shared_errors, encoded_left_out)}}},
          {"paper",
           {{"events", encoded_texts(fit.paper_events)},
            {"fits", encoded_all(fit.paper_fits, encoded_paper_fit)},
            {"relative_error", fit.paper_relative_error},
            {"left_out", encoded_all(fit.paper_errors, encoded_left_out)}}}};
}

ordered_json encoded(const Model& model) {
  ordered_json document = new_document(Model::kFormat, Model::kVersion);
  document["machine"] = utf8(model.machine);
  document["made_from"] = encoded_texts(model.made_from);
  document["programs"] = encoded_all(model.programs, encoded_program);
  document["fits"] = encoded_all(model.fits, encoded_fit);
  return document;
}

}  // namespace

void save_model(const Model& model, const std::filesystem::path& path) {
  save_json(path, encoded(model));
}

std::string to_json(const Model& model) {
  return encoded(model).dump(1) + "\n";
}

}  // namespace huddle
