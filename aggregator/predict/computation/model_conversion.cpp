#include "aggregator/predict/computation/model_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace huddle {
namespace {

static_assert(kModelMachineParameters == kMachineParameters);
static_assert(kModelDemandParameters == kDemandParameters);

ModelProgram document_of(const ProgramSamples& program) {
  ModelProgram document{program.program, program.run, program.has_events, {}};
  for (const PhaseGroupSamples& group : program.groups) {
    ModelGroup& written = document.groups.emplace_back();
    written.name = group.name;
    for (const PhaseSample& sample : group.samples)
      written.samples.push_back(
          {sample.pattern.name(), sample.time, sample.relative_error, sample.counts, sample.clock});
  }
  return document;
}

ProgramSamples program_from(const ModelProgram& document) {
  ProgramSamples program;
  program.program = document.program;
  program.run = document.run;
  program.has_events = document.has_events;
  for (const ModelGroup& group : document.groups) {
    PhaseGroupSamples& read = program.groups.emplace_back();
    read.name = group.name;
    for (const ModelSample& sample : group.samples)
      read.samples.push_back({Pattern::parse(sample.pattern), sample.time, sample.relative_error,
                              sample.counts, sample.clock});
    std::sort(read.samples.begin(), read.samples.end(),
              [](const PhaseSample& a, const PhaseSample& b) { return a.pattern < b.pattern; });
  }
  return program;
}

std::vector<ModelLeftOut> document_of(const ModelErrors& errors) {
  std::vector<ModelLeftOut> document;
  for (const LeftOutPrediction& left_out : errors.predictions)
    document.push_back({left_out.program, left_out.run, left_out.pattern.name(), left_out.measured,
                        left_out.predicted});
  return document;
}

ModelErrors errors_from(const std::vector<ModelLeftOut>& document) {
  ModelErrors errors;
  for (const ModelLeftOut& left_out : document)
    errors.predictions.push_back({left_out.program, left_out.run, Pattern::parse(left_out.pattern),
                                  left_out.measured, left_out.predicted});
  return errors;
}

ModelShape document_of(const ContentionModel& shape, double weight) {
  return {std::string(name_of(shape.shape)),
          weight,
          shape.machine,
          shape.prior.mean,
          shape.prior.covariance,
          shape.tolerances.time,
          shape.tolerances.growth,
          shape.tolerances.traffic};
}

ContentionModel shape_from(const ModelShape& document) {
  ContentionModel shape;
  for (std::size_t i = 0; i < kContentionShapes; ++i)
    if (name_of(static_cast<ContentionShape>(i)) == document.shape)
      shape.shape = static_cast<ContentionShape>(i);
  shape.machine = document.machine;
  shape.prior = {document.demand_mean, document.demand_covariance};
  shape.tolerances = {document.time_tolerance, document.growth_tolerance,
                      document.traffic_tolerance};
  return shape;
}

ModelPaperFit document_of(const PaperFit& fit) {
  ModelPaperFit document;
  document.target = fit.target.name();
  if (fit.ipc_class) document.ipc_class = static_cast<std::uint32_t>(*fit.ipc_class);
  document.constant = fit.fit.constant;
  document.coefficients = fit.fit.coefficients;
  document.strength = fit.fit.strength;
  document.rows = static_cast<std::uint32_t>(fit.rows);
  if (std::isfinite(fit.fit.left_out_error)) document.left_out_error = fit.fit.left_out_error;
  return document;
}

PaperFit paper_fit_from(const ModelPaperFit& document) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  PaperFit fit;
  fit.target = Pattern::parse(document.target);
  if (document.ipc_class) fit.ipc_class = *document.ipc_class;
  fit.fit = {document.coefficients, document.constant, document.strength,
             document.left_out_error.value_or(nothing)};
  fit.rows = document.rows;
  return fit;
}

std::vector<std::string> names_of(const std::vector<Pattern>& patterns) {
  std::vector<std::string> names;
  for (const Pattern& pattern : patterns) names.push_back(pattern.name());
  return names;
}

ModelFit document_of(const FittedModels& fitted) {
  ModelFit document;
  document.with_events = fitted.with_events;
  document.sample_patterns = names_of(fitted.sample_patterns);
  for (std::size_t i = 0; i < fitted.shared.shapes.size(); ++i)
    document.shapes.push_back(document_of(fitted.shared.shapes[i], fitted.shared.weights[i]));
  document.widening = fitted.shared.widening;
  document.shared_errors = document_of(fitted.shared_errors);
  document.paper_events = fitted.paper.events;
  for (const PaperFit& fit : fitted.paper.fits) document.paper_fits.push_back(document_of(fit));
  document.paper_relative_error = fitted.paper_relative_error;
  document.paper_errors = document_of(fitted.paper_errors);
  return document;
}

FittedModels fitted_from(const ModelFit& document) {
  FittedModels fitted;
  fitted.with_events = document.with_events;
  for (const std::string& pattern : document.sample_patterns)
    fitted.sample_patterns.push_back(Pattern::parse(pattern));
  for (const ModelShape& shape : document.shapes) {
    fitted.shared.shapes.push_back(shape_from(shape));
    fitted.shared.weights.push_back(shape.weight);
  }
  fitted.shared.widening = document.widening;
  fitted.shared_errors = errors_from(document.shared_errors);
  fitted.paper.sample_patterns = fitted.sample_patterns;
  fitted.paper.events = document.paper_events;
  fitted.paper.with_events = document.with_events;
  for (const ModelPaperFit& fit : document.paper_fits)
    fitted.paper.fits.push_back(paper_fit_from(fit));
  fitted.paper_relative_error = document.paper_relative_error;
  fitted.paper_errors = errors_from(document.paper_errors);
  return fitted;
}

}  // namespace

Model document_of(const ComputationModel& model) {
  Model document;
  for (const ProgramSamples& program : model.programs)
    document.programs.push_back(document_of(program));
  for (const FittedModels& fitted : model.fits) document.fits.push_back(document_of(fitted));
  return document;
}

ComputationModel model_from(const Model& document) {
  ComputationModel model;
  for (const ModelProgram& program : document.programs)
    model.programs.push_back(program_from(program));
  const ClockCurve clock(model.programs);
  for (const ModelFit& fit : document.fits)
    for (ContentionModel& shape : model.fits.emplace_back(fitted_from(fit)).shared.shapes)
      shape.clock = clock;
  return model;
}

}  // namespace huddle
