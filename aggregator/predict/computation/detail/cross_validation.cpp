#include "aggregator/predict/computation/detail/cross_validation.hpp"

#include <algorithm>
#include <cmath>

#include "aggregator/predict/computation/contention_fit.hpp"

namespace huddle::predict {
namespace {

// Mean products of errors, with a little on the diagonal.
std::vector<std::vector<double>> products(const std::vector<std::vector<double>>& errors,
                                          std::size_t models) {
  constexpr double kForEvenness = 0.01;
  std::vector<std::vector<double>> mean(models, std::vector<double>(models, 0.0));
  for (const std::vector<double>& row : errors)
    for (std::size_t i = 0; i < models; ++i)
      for (std::size_t k = 0; k < models; ++k)
        mean[i][k] += row[i] * row[k] / static_cast<double>(errors.size());
  double least = mean[0][0];
  for (std::size_t i = 1; i < models; ++i) least = std::min(least, mean[i][i]);
  for (std::size_t i = 0; i < models; ++i) mean[i][i] += kForEvenness * least + 1e-12;
  return mean;
}

}  // namespace

std::vector<double> stacking_weights(const std::vector<std::vector<double>>& errors,
                                     std::size_t models) {
  std::vector<double> weights(models, 1.0 / static_cast<double>(models));
  if (errors.empty()) return weights;
  const auto mean = products(errors, models);
  const auto slope = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < models; ++k) sum += mean[i][k] * weights[k];
    return sum;
  };
  // Weight moves between two models at a time, as much as is best; the problem is convex.
  constexpr int kSweeps = 300;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t i = 0; i < models; ++i)
      for (std::size_t k = i + 1; k < models; ++k) {
        const double curvature = mean[i][i] + mean[k][k] - 2 * mean[i][k];
        if (!(curvature > 0)) continue;
        const double move = std::clamp((slope(k) - slope(i)) / curvature, -weights[i], weights[k]);
        weights[i] += move;
        weights[k] -= move;
      }
  for (double& weight : weights)
    if (weight < 1e-3) weight = 0;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

double conformal_widening(std::vector<double> scores) {
  constexpr double kUnknown = 3;
  constexpr double kCovered = 0.9;
  if (scores.empty()) return kUnknown;
  std::sort(scores.begin(), scores.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(kCovered * (static_cast<double>(scores.size()) + 1)));
  return scores[std::min(rank, scores.size()) - 1] / kNinetyPercent;
}

namespace {

bool contains(const std::vector<Pattern>& patterns, const Pattern& pattern) {
  return std::find(patterns.begin(), patterns.end(), pattern) != patterns.end();
}

std::vector<ProgramSamples> without(const std::vector<ProgramSamples>& programs,
                                    const std::string& name) {
  std::vector<ProgramSamples> others;
  for (const ProgramSamples& program : programs)
    if (program.program != name) others.push_back(program);
  return others;
}

// Every shape's prediction of one left-out program on one pattern.
struct ByShape {
  LeftOutPrediction prediction;
  std::vector<double> log_times;
  std::vector<double> variances;
  std::vector<double> errors;  // of the log times
};

std::vector<ByShape> predictions_by_shape(const std::vector<ProgramSamples>& programs,
                                          const ShapesByFold& shapes,
                                          const std::vector<Pattern>& patterns) {
  const std::vector<std::string> names = names_of(programs);
  std::vector<ByShape> rows;
  for (const ProgramSamples& program : programs) {
    const auto fold = static_cast<std::size_t>(
        std::find(names.begin(), names.end(), program.program) - names.begin());
    const SharedModel model{shapes[fold], {}, 1};
    const SharedPrediction prediction(model, program.only_on(patterns));
    for (const Pattern& pattern : program.patterns()) {
      if (contains(patterns, pattern)) continue;
      ByShape row{
          {program.program, program.run, pattern, program.time_on(pattern), {}}, {}, {}, {}};
      for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        const PredictedTime predicted = prediction.by_shape(i, sharing_of(pattern));
        row.log_times.push_back(std::log(predicted.time.value));
        row.variances.push_back(predicted.relative_error * predicted.relative_error);
        row.errors.push_back(row.log_times.back() - std::log(row.prediction.measured.value));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<double> weights_without(const std::vector<ByShape>& rows, const std::string& program,
                                    std::size_t shapes) {
  std::vector<std::vector<double>> errors;
  for (const ByShape& row : rows)
    if (row.prediction.program != program) errors.push_back(row.errors);
  return stacking_weights(errors, shapes);
}

}  // namespace

std::vector<std::string> names_of(const std::vector<ProgramSamples>& programs) {
  std::vector<std::string> names;
  for (const ProgramSamples& program : programs)
    if (std::find(names.begin(), names.end(), program.program) == names.end())
      names.push_back(program.program);
  return names;
}

ShapesByFold fit_without_each(const std::vector<ProgramSamples>& programs,
                              const std::vector<ContentionModel>& all, std::size_t evaluations,
                              const std::function<void()>& step) {
  ShapesByFold folds;
  for (const std::string& name : names_of(programs)) {
    const std::vector<TrainingCurve> curves = training_curves(without(programs, name));
    std::vector<ContentionModel>& shapes = folds.emplace_back();
    for (const ContentionModel& start : all)
      shapes.push_back(fit_contention(start.shape, curves, {start, evaluations, {}}));
    step();
  }
  return folds;
}

// The weights that a program's prediction uses come from the other programs, too.
SharedLeftOut predict_shared(const std::vector<ProgramSamples>& programs,
                             const ShapesByFold& shapes, const std::vector<Pattern>& patterns) {
  SharedLeftOut left_out;
  const std::size_t count = shapes.front().size();
  std::vector<ByShape> rows = predictions_by_shape(programs, shapes, patterns);
  std::vector<double> scores;
  std::string fold;
  std::vector<double> weights;
  for (ByShape& row : rows) {
    if (weights.empty() || fold != row.prediction.program)
      weights = weights_without(rows, fold = row.prediction.program, count);
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += weights[i] * row.log_times[i];
    double variance = 0;
    for (std::size_t i = 0; i < count; ++i)
      variance += weights[i] * (row.variances[i] + std::pow(row.log_times[i] - mean, 2));
    row.prediction.predicted = {std::exp(mean)};
    scores.push_back(std::abs(mean - std::log(row.prediction.measured.value)) /
                     std::sqrt(variance));
    left_out.errors.predictions.push_back(row.prediction);
  }
  left_out.weights = weights_without(rows, "", count);
  left_out.widening = conformal_widening(scores);
  return left_out;
}

ModelErrors predict_paper(const std::vector<ProgramSamples>& programs,
                          const std::vector<Pattern>& patterns, bool with_events) {
  ModelErrors errors;
  for (const std::string& name : names_of(programs)) {
    const PaperModel model = fit_paper_model(without(programs, name), patterns, with_events);
    for (const ProgramSamples& program : programs) {
      if (program.program != name) continue;
      for (const Pattern& pattern : program.patterns()) {
        if (contains(patterns, pattern)) continue;
        LeftOutPrediction prediction{name, program.run, pattern, program.time_on(pattern), {}};
        bool whole = true;
        for (const PhaseGroupSamples& group : program.groups) {
          const std::optional<Seconds> time = model.time_on(pattern, group);
          whole = whole && time.has_value();
          if (time) prediction.predicted += *time;
        }
        if (whole) errors.predictions.push_back(prediction);
      }
    }
  }
  return errors;
}

}  // namespace huddle::predict
