#include "aggregator/predict/computation/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "aggregator/predict/computation/contention_fit.hpp"
#include "aggregator/predict/computation/detail/cross_validation.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr std::size_t kLeastPrograms = 3;
constexpr std::size_t kLeastPatterns = 2;

std::vector<Pattern> common_patterns(const std::vector<ProgramSamples>& programs) {
  std::vector<Pattern> common = programs.front().patterns();
  for (const ProgramSamples& program : programs) {
    const std::vector<Pattern> patterns = program.patterns();
    std::erase_if(common, [&](const Pattern& pattern) {
      return std::find(patterns.begin(), patterns.end(), pattern) == patterns.end();
    });
  }
  return common;
}

void check(const std::vector<ProgramSamples>& programs, const TrainingOptions& options) {
  const std::size_t names = names_of(programs).size();
  if (names < kLeastPrograms)
    throw UsageError(fmt::format(
        "a model needs profiles of {} programs or more, so that it can be tried on one that it has "
        "not seen; there are {}",
        kLeastPrograms, names));
  const std::vector<Pattern> common = common_patterns(programs);
  if (common.size() < kLeastPatterns)
    throw UsageError(fmt::format(
        "a model needs {} patterns or more that every program ran on, and there are {}: run each "
        "training program on all patterns, or leave out those that ran on few",
        kLeastPatterns, common.size()));
  for (const Pattern& pattern : options.sample_patterns)
    if (std::find(common.begin(), common.end(), pattern) == common.end())
      throw UsageError(
          fmt::format("not every program ran on the sample pattern {}", pattern.name()));
  if (std::set(options.sample_patterns.begin(), options.sample_patterns.end()).size() ==
      common.size())
    throw UsageError(
        "the sample patterns are all patterns: leave one out, so that it can be predicted");
}

// Sparsest and densest; one full die and one core of each die (the paper's patterns 4 and 5); one
// core of each die and densest.
std::vector<std::vector<Pattern>> candidate_samples(const std::vector<Pattern>& common) {
  Pattern most{1, 1, 1};
  for (const Pattern& pattern : common) most = holding_both(most, pattern);
  const auto by_ranks = [](const Pattern& a, const Pattern& b) {
    return a.ranks_per_node() < b.ranks_per_node();
  };
  const Pattern sparsest = *std::min_element(common.begin(), common.end(), by_ranks);
  const Pattern densest = *std::max_element(common.begin(), common.end(), by_ranks);
  if (common.size() == 2) return {{sparsest}};
  const Pattern full_die{1, 1, most.cores, 1, std::min(most.numa_nodes, 1U)};
  const Pattern spread{most.packages, most.dies, 1, 1, most.numa_nodes};
  std::vector<std::vector<Pattern>> found;
  for (const auto& [a, b] :
       {std::pair(sparsest, densest), std::pair(full_die, spread), std::pair(spread, densest)}) {
    const bool both = std::find(common.begin(), common.end(), a) != common.end() &&
                      std::find(common.begin(), common.end(), b) != common.end();
    const std::vector<Pattern> pair = {std::min(a, b), std::max(a, b)};
    if (both && a != b && std::find(found.begin(), found.end(), pair) == found.end())
      found.push_back(pair);
  }
  return found;
}

double or_infinite(double error) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

double paper_spread(const ModelErrors& errors) {
  std::vector<double> scores;
  for (const LeftOutPrediction& prediction : errors.predictions)
    scores.push_back(std::abs(std::log(prediction.predicted / prediction.measured)));
  return conformal_widening(scores);
}

FittedModels fit_models(const std::vector<ProgramSamples>& programs, bool with_events,
                        const ClockCurve& clock, const TrainingOptions& options,
                        const std::function<void()>& step) {
  FittedModels best;
  std::vector<ContentionModel> shapes;
  const std::vector<TrainingCurve> curves = training_curves(programs);
  ContentionFitOptions fitting;
  fitting.clock = clock;
  for (std::size_t i = 0; i < kContentionShapes; ++i) {
    shapes.push_back(fit_contention(static_cast<ContentionShape>(i), curves, fitting));
    step();
  }
  const ShapesByFold folds = fit_without_each(programs, shapes, options.evaluations, step);
  std::vector<std::vector<Pattern>> candidates = {options.sample_patterns};
  if (options.sample_patterns.empty()) candidates = candidate_samples(common_patterns(programs));
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<Pattern>& patterns : candidates) {
    const SharedLeftOut shared = predict_shared(programs, folds, patterns);
    ModelErrors paper = predict_paper(programs, patterns, with_events);
    const double error = std::min(or_infinite(shared.errors.mean()), or_infinite(paper.mean()));
    if (!(error < least)) continue;
    least = error;
    best.sample_patterns = patterns;
    best.shared = {shapes, shared.weights, shared.widening};
    best.shared_errors = shared.errors;
    best.paper_errors = std::move(paper);
  }
  best.with_events = with_events;
  best.paper = fit_paper_model(programs, best.sample_patterns, with_events);
  best.paper_relative_error = paper_spread(best.paper_errors);
  return best;
}

}  // namespace

double ModelErrors::mean() const {
  double sum = 0;
  for (const LeftOutPrediction& prediction : predictions) sum += std::abs(prediction.error());
  return sum / static_cast<double>(predictions.size());
}

double ModelErrors::worst() const {
  double worst = std::numeric_limits<double>::quiet_NaN();
  for (const LeftOutPrediction& prediction : predictions)
    worst = std::fmax(worst, std::abs(prediction.error()));
  return worst;
}

bool FittedModels::paper_is_better() const {
  return or_infinite(paper_errors.mean()) < or_infinite(shared_errors.mean()) &&
         paper_errors.predictions.size() == shared_errors.predictions.size();
}

const FittedModels& ComputationModel::fits_for(bool with_events) const {
  for (const FittedModels& fitted : fits)
    if (fitted.with_events == with_events) return fitted;
  return fits.front();
}

ComputationModel train(const std::vector<ProgramSamples>& programs, const TrainingOptions& options,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
  check(programs, options);
  std::vector<ProgramSamples> with_events;
  std::vector<ProgramSamples> times_only;
  for (const ProgramSamples& program : programs) {
    if (program.has_events) with_events.push_back(program);
    times_only.push_back(program.times_only());
  }
  const bool events = names_of(with_events).size() >= kLeastPrograms;
  std::size_t all = kContentionShapes + names_of(times_only).size();
  if (events) all += kContentionShapes + names_of(with_events).size();
  std::size_t done = 0;
  const auto step = [&] {
    ++done;
    if (progress) progress(done, all);
  };
  ComputationModel model{programs, {}};
  const ClockCurve clock(programs);
  model.fits.push_back(fit_models(times_only, false, clock, options, step));
  if (events) model.fits.push_back(fit_models(with_events, true, clock, options, step));
  return model;
}

}  // namespace huddle::predict
