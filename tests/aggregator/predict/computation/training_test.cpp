#include "aggregator/predict/computation/training.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "aggregator/predict/computation/contention_fit.hpp"
#include "aggregator/predict/computation/predictor.hpp"
#include "aggregator/predict/computation/shared_model.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/predict/computation/synthetic_truth.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

constexpr std::size_t kTrainingPrograms = 14;
constexpr std::size_t kOtherPrograms = 10;

std::vector<ProgramSamples> training_programs(const PretendedMachine& machine,
                                              const std::vector<Pattern>& patterns, bool events) {
  std::vector<ProgramSamples> samples;
  for (const PretendedProgram& program : pretended_programs(kTrainingPrograms, 1))
    samples.push_back(measured(machine, program, patterns, events));
  return samples;
}

// One training for each truth, for all test cases.
const ComputationModel& trained(Truth truth) {
  static std::map<Truth, ComputationModel> models;
  if (!models.contains(truth)) {
    PretendedMachine machine;
    machine.truth = truth;
    TrainingOptions options;
    options.evaluations = 3;  // more is better still, and takes longer
    models[truth] = train(training_programs(machine, all_patterns(2, 2, 2), true), options);
  }
  return models.at(truth);
}

struct Accuracy {
  double mean = 0;
  double worst = 0;
  double covered = 0;  // share of predictions whose interval holds the truth
};

// The accuracy for programs that training never saw, sampled where the model says (on a node unlike
// those of training: at both ends), on all `patterns` of a node.
Accuracy accuracy_on(Truth truth, bool events, const std::vector<Pattern>& patterns,
                     const Pattern& node) {
  PretendedMachine machine;
  machine.truth = truth;
  const ComputationModel& model = trained(truth);
  const bool same_node = patterns.size() == all_patterns(2, 2, 2).size();
  const std::vector<Pattern> sampled =
      same_node ? model.fits_for(events).sample_patterns : std::vector<Pattern>{{1, 1, 1}, node};
  Accuracy accuracy;
  double count = 0;
  for (const PretendedProgram& program : pretended_programs(kOtherPrograms, 77)) {
    PredictorOptions options;
    options.method = ComputationMethod::kShared;
    options.node = node;
    const ComputationPredictor predictor(measured(machine, program, sampled, events), &model,
                                         options);
    for (const Pattern& pattern : patterns) {
      if (std::find(sampled.begin(), sampled.end(), pattern) != sampled.end()) continue;
      const ComputationForecast forecast = predictor.on(pattern);
      const double truly = true_time(machine, program, pattern);
      const double error = std::abs(forecast.time.value / truly - 1);
      accuracy.mean += error;
      accuracy.worst = std::max(accuracy.worst, error);
      if (forecast.low->value <= truly && truly <= forecast.high->value) ++accuracy.covered;
      ++count;
    }
  }
  accuracy.mean /= count;
  accuracy.covered /= count;
  MESSAGE("truth ", static_cast<int>(truth), std::string(events ? " events" : " times"), ": mean ",
          accuracy.mean * 100, " % worst ", accuracy.worst * 100, " % covered ",
          accuracy.covered * 100, " %");
  return accuracy;
}

// Bounds are about twice what was seen; a model that says "nothing changes" errs by 20 % and more.
struct Bound {
  Truth truth;
  bool events;
  double mean;
  double worst;
};

TEST_CASE("programs left out of training are predicted within a few percent, whatever the truth") {
  const Bound bounds[] = {
      {Truth::kRoofline, true, 0.02, 0.2}, {Truth::kRoofline, false, 0.05, 0.3},
      {Truth::kSerial, true, 0.01, 0.1},   {Truth::kSerial, false, 0.04, 0.3},
      {Truth::kQueueing, true, 0.01, 0.1}, {Truth::kQueueing, false, 0.04, 0.3}};
  for (const Bound& bound : bounds) {
    const Accuracy accuracy =
        accuracy_on(bound.truth, bound.events, all_patterns(2, 2, 2), {2, 2, 2});
    CAPTURE(static_cast<int>(bound.truth));
    CAPTURE(bound.events);
    CHECK(accuracy.mean < bound.mean);
    CHECK(accuracy.worst < bound.worst);
    CHECK(accuracy.covered > 0.75);
  }
}

TEST_CASE("nodes with more dies and cores than any training program ran on are predicted, too") {
  // Intervals are made wider for them, but how wide is an assumption.
  const Bound bounds[] = {{Truth::kRoofline, true, 0.05, 0.5}, {Truth::kRoofline, false, 0.1, 0.9},
                          {Truth::kSerial, true, 0.05, 0.4},   {Truth::kSerial, false, 0.1, 0.5},
                          {Truth::kQueueing, true, 0.07, 0.4}, {Truth::kQueueing, false, 0.1, 0.5}};
  for (const Bound& bound : bounds) {
    const Accuracy accuracy =
        accuracy_on(bound.truth, bound.events, all_patterns(2, 4, 4), {2, 4, 4});
    CAPTURE(static_cast<int>(bound.truth));
    CAPTURE(bound.events);
    CHECK(accuracy.mean < bound.mean);
    CHECK(accuracy.worst < bound.worst);
    CHECK(accuracy.covered > 0.75);
  }
}

TEST_CASE("a memory that hardly more than one rank fills is found, far from a usual one") {
  PretendedMachine machine;
  machine.package_bandwidth = 0.75 * machine.rank_bandwidth;
  machine.node_bandwidth = 1.3 * machine.rank_bandwidth;
  const std::vector<TrainingCurve> curves =
      training_curves(training_programs(machine, all_patterns(2, 2, 2), false));
  // Were it not found, the curves would be off by 6 %.
  CHECK(fit_contention(ContentionShape::kSerial, curves).tolerances.time < 0.01);
}

// Were clocks taken to be steady, the curves would be off by more than twice as much.
TEST_CASE(
    "a clock that falls with busy cores is known from counted cycles, for times alone as well") {
  PretendedMachine machine;
  machine.clock_loss = 0.05;
  const std::vector<ProgramSamples> counted =
      training_programs(machine, all_patterns(2, 2, 2), true);
  std::vector<ProgramSamples> timed;
  for (const ProgramSamples& program : counted) timed.push_back(program.times_only());
  ContentionFitOptions known;
  known.clock = ClockCurve(counted);
  CHECK(known.clock.slowdown(sharing_of({1, 2, 2})) == doctest::Approx(1.15));
  const auto unexplained = [&](const ContentionFitOptions& options) {
    return fit_contention(ContentionShape::kSerial, training_curves(timed), options)
        .tolerances.time;
  };
  CHECK(unexplained(known) < 0.5 * unexplained({}));
}

TEST_CASE("training leaves out one program after the other and says how far off it was") {
  const ComputationModel& model = trained(Truth::kSerial);
  REQUIRE(model.fits.size() == 2);
  for (const FittedModels& fitted : model.fits) {
    CAPTURE(fitted.with_events);
    CHECK(fitted.sample_patterns.size() == 2);
    // 8 patterns without the two samples.
    CHECK(fitted.shared_errors.predictions.size() == kTrainingPrograms * 6);
    CHECK(fitted.paper_errors.predictions.size() == kTrainingPrograms * 6);
    CHECK(fitted.shared_errors.mean() < 0.06);
    CHECK(fitted.shared_errors.mean() <= fitted.shared_errors.worst());
    double sum = 0;
    for (const double weight : fitted.shared.weights) sum += weight;
    CHECK(sum == doctest::Approx(1));
    MESSAGE("left out: shared ", fitted.shared_errors.mean(), " paper ",
            fitted.paper_errors.mean());
  }
}

TEST_CASE("of two patterns the denser one is predicted from the sparser one") {
  const PretendedMachine machine;
  const ComputationModel model =
      train(training_programs(machine, all_patterns(1, 1, 2), false), {{}, 5});
  const FittedModels& fitted = model.fits_for(false);
  CHECK(fitted.sample_patterns == std::vector<Pattern>{{1, 1, 1}});
  REQUIRE(fitted.shared_errors.predictions.size() == model.programs.size());
  for (const LeftOutPrediction& left_out : fitted.shared_errors.predictions)
    CHECK(left_out.pattern == Pattern{1, 1, 2});
}

TEST_CASE("what can't be trained is refused with the reason") {
  const PretendedMachine machine;
  const std::vector<ProgramSamples> programs =
      training_programs(machine, all_patterns(2, 1, 1), false);
  CHECK(error_of<UsageError>([&] {
          train({programs[0], programs[1]});
        }) ==
        "a model needs profiles of 3 programs or more, so that it can be tried on one that it has "
        "not seen; there are 2");
  CHECK(error_of<UsageError>(
            [&] { train(training_programs(machine, all_patterns(1, 1, 1), false)); }) ==
        "a model needs 2 patterns or more that every program ran on, and there are 1: run each "
        "training program on all patterns, or leave out those that ran on few");
  TrainingOptions options;
  options.sample_patterns = all_patterns(2, 1, 1);
  CHECK(error_of<UsageError>([&] { train(programs, options); }) ==
        "the sample patterns are all patterns: leave one out, so that it can be predicted");
  options.sample_patterns = {{4, 1, 1}};
  CHECK(error_of<UsageError>([&] {
          train(training_programs(machine, all_patterns(2, 2, 1), false), options);
        }) == "not every program ran on the sample pattern 4:1:1");
}

}  // namespace
}  // namespace huddle::predict
