#include <cmath>

#include "aggregator/predict/model/model.hpp"
#include "profiles/formats/document/document.hpp"

namespace huddle::predict {
namespace {

using nlohmann::ordered_json;

ordered_json encoded_texts(const std::vector<std::string>& texts) {
  ordered_json array = ordered_json::array();
  for (const std::string& text : texts) array.push_back(utf8(text));
  return array;
}

ordered_json encoded_patterns(const std::vector<Pattern>& patterns) {
  ordered_json array = ordered_json::array();
  for (const Pattern& pattern : patterns) array.push_back(pattern.name());
  return array;
}

template <class Range, class Encode>
ordered_json encoded_all(const Range& range, Encode&& encode) {
  ordered_json array = ordered_json::array();
  for (const auto& element : range) array.push_back(encode(element));
  return array;
}

ordered_json encoded_sample(const PhaseSample& sample) {
  ordered_json entry = {{"pattern", sample.pattern.name()},
                        {"time_s", sample.time.value},
                        {"relative_error", sample.relative_error},
                        {"counts", ordered_json::object()}};
  for (const auto& [event, count] : sample.counts) entry["counts"][utf8(event)] = count;
  if (sample.clock) entry["clock_hz"] = *sample.clock;
  return entry;
}

ordered_json encoded_program(const ProgramSamples& program) {
  return {{"program", utf8(program.program)},
          {"run", utf8(program.run)},
          {"events", program.has_events},
          {"groups", encoded_all(program.groups, [](const PhaseGroupSamples& group) {
             return ordered_json{{"name", utf8(group.name)},
                                 {"samples", encoded_all(group.samples, encoded_sample)}};
           })}};
}

ordered_json encoded_shapes(const SharedModel& model) {
  ordered_json array = ordered_json::array();
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    const ContentionModel& shape = model.shapes[i];
    ordered_json machine;
    for (std::size_t k = 0; k < kMachineParameters; ++k)
      machine[std::string(kMachineParameterNames[k])] = shape.machine[k];
    array.push_back(
        {{"shape", name_of(shape.shape)},
         {"weight", model.weights[i]},
         {"machine", machine},
         {"demand", {{"mean", shape.prior.mean}, {"covariance", shape.prior.covariance}}},
         {"tolerance",
          {{"time", shape.tolerances.time},
           {"growth", shape.tolerances.growth},
           {"traffic", shape.tolerances.traffic}}}});
  }
  return array;
}

ordered_json encoded_paper_fit(const PaperFit& fit) {
  ordered_json entry = {{"target", fit.target.name()}};
  if (fit.ipc_class) entry["ipc_class"] = *fit.ipc_class;
  entry["constant"] = fit.fit.constant;
  entry["coefficients"] = fit.fit.coefficients;
  entry["ridge"] = fit.fit.strength;
  entry["samples"] = fit.rows;
  if (std::isfinite(fit.fit.left_out_error)) entry["left_out_error"] = fit.fit.left_out_error;
  return entry;
}

ordered_json encoded_errors(const ModelErrors& errors) {
  return encoded_all(errors.predictions, [](const LeftOutPrediction& left_out) {
    return ordered_json{{"program", utf8(left_out.program)},
                        {"run", utf8(left_out.run)},
                        {"pattern", left_out.pattern.name()},
                        {"measured_s", left_out.measured.value},
                        {"predicted_s", left_out.predicted.value}};
  });
}

ordered_json encoded_fit(const FittedModels& fit) {
  return {{"events", fit.with_events},
          {"sample_patterns", encoded_patterns(fit.sample_patterns)},
          {"shared",
           {{"shapes", encoded_shapes(fit.shared)},
            {"widening", fit.shared.widening},
            {"left_out", encoded_errors(fit.shared_errors)}}},
          {"paper",
           {{"events", encoded_texts(fit.paper.events)},
            {"fits", encoded_all(fit.paper.fits, encoded_paper_fit)},
            {"relative_error", fit.paper_relative_error},
            {"left_out", encoded_errors(fit.paper_errors)}}}};
}

ordered_json encoded(const Model& model) {
  ordered_json document = new_document(Model::kFormat, Model::kVersion);
  document["machine"] = utf8(model.machine);
  document["made_from"] = encoded_texts(model.made_from);
  document["programs"] = encoded_all(model.computation.programs, encoded_program);
  document["fits"] = encoded_all(model.computation.fits, encoded_fit);
  return document;
}

}  // namespace

void save_model(const Model& model, const std::filesystem::path& path) {
  save_json(path, encoded(model));
}

std::string to_json(const Model& model) {
  return encoded(model).dump(1) + "\n";
}

}  // namespace huddle::predict
