#include "aggregator/predict/computation/predictor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/predict/model/model.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/predict/computation/synthetic_truth.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

const Pattern kSparse{1, 1, 1};
const Pattern kDense{2, 2, 2};
const Pattern kBetween{1, 2, 2};

// A small training is enough to see how a model is used.
const ComputationModel& small_model() {
  static const ComputationModel model = [] {
    std::vector<ProgramSamples> programs;
    for (const PretendedProgram& program : pretended_programs(6, 3))
      programs.push_back(measured({}, program, all_patterns(2, 2, 2), true));
    TrainingOptions options;
    options.sample_patterns = {kSparse, kDense};
    options.evaluations = 5;
    return train(programs, options);
  }();
  return model;
}

ProgramSamples memory_bound(const std::vector<Pattern>& patterns, bool events = false) {
  return measured({}, pretended_programs(8, 9)[6], patterns, events);
}

PredictorOptions on_small_node() {
  PredictorOptions options;
  options.node = {2, 2, 2};
  return options;
}

PredictorOptions as_nearest() {
  PredictorOptions options = on_small_node();
  options.method = ComputationMethod::kSimple;
  return options;
}

ComputationPredictor predictor(const ProgramSamples& samples) {
  return {samples, &small_model(), on_small_node()};
}

double width(const ComputationForecast& forecast) {
  return std::log(*forecast.high / *forecast.low);
}

TEST_CASE("asked to be simple, a pattern is like the nearest sample") {
  const ComputationPredictor simple(memory_bound({kSparse, kDense}), nullptr, as_nearest());
  CHECK(simple.method() == ComputationMethod::kSimple);
  CHECK(simple.on(kBetween).time == simple.on(kDense).time);
  CHECK_FALSE(simple.on(kBetween).measured);
  CHECK(simple.on(kDense).measured);
  CHECK(simple.notes().empty());
}

TEST_CASE("without a model contention is taken to be usual, and as the samples show it") {
  const ComputationPredictor prior(memory_bound({kSparse, kDense}), nullptr, on_small_node());
  CHECK(prior.method() == ComputationMethod::kPrior);
  CHECK(prior.on(kBetween).time > prior.on(kSparse).time);
  CHECK(prior.on(kBetween).time < prior.on(kDense).time);
  REQUIRE(prior.on(kBetween).high);
  CHECK(prior.notes().empty());
}

TEST_CASE("without a model and with one sample, a denser pattern may take far longer") {
  const ComputationPredictor prior(memory_bound({kSparse}), nullptr, on_small_node());
  const ComputationForecast dense = prior.on(kDense);
  REQUIRE(dense.high);
  CHECK(*dense.high > 1.5 * prior.on(kSparse).time);
  REQUIRE(prior.notes().size() == 1);
  CHECK(prior.notes().front() ==
        "all samples ran on 1:1:1: how contention slows this program down is guessed from what "
        "programs usually do, and the intervals are wide");
}

TEST_CASE("what memory was measured to deliver narrows what is assumed without a model") {
  PredictorOptions wide = on_small_node();
  wide.memory_streams = {{Distance::kDie, 1, {1e10}, Origin::kMeasured},
                         {Distance::kNode, 8, {8e10}, Origin::kMeasured}};
  const ProgramSamples samples = memory_bound({kSparse});
  const ComputationPredictor plenty(samples, nullptr, wide);
  const ComputationPredictor unknown(samples, nullptr, on_small_node());
  CHECK(plenty.on(kDense).time < unknown.on(kDense).time);
}

TEST_CASE("what is usual may be asked for although a model was learnt") {
  PredictorOptions options = on_small_node();
  options.method = ComputationMethod::kPrior;
  const ComputationPredictor prior(memory_bound({kSparse, kDense}), &small_model(), options);
  CHECK(prior.method() == ComputationMethod::kPrior);
  CHECK(prior.frequency_basis() == FrequencyBasis::kNothing);
}

TEST_CASE("the others wait for the rank with most to compute, wherever it is") {
  const ComputationPredictor simple(memory_bound({kSparse, kDense}), nullptr, as_nearest());
  const double sparse = simple.on(kSparse).time.value;
  const double dense = simple.on(kDense).time.value;
  std::vector<RankClass> classes = {{sharing_of(kSparse), {0}}, {sharing_of(kDense), {1, 2, 3}}};
  const std::vector<double> loads = {1.6, 0.8, 0.9, 0.7};
  const ComputationForecast forecast = simple.on(classes, 1, loads);
  CHECK(forecast.time.value == doctest::Approx((1.6 * sparse + 2.4 * dense) / 4));
  CHECK(forecast.slowest.value == doctest::Approx(std::max(1.6 * sparse, 0.9 * dense)));
  std::swap(classes[0].sharing, classes[1].sharing);
  CHECK(simple.on(classes, 1, loads).slowest.value == doctest::Approx(1.6 * dense));
  CHECK(simple.on(classes).slowest.value == doctest::Approx(dense));
}

TEST_CASE("the published regression says so, and is less sure, outside of what it was trained on") {
  PredictorOptions options = on_small_node();
  options.method = ComputationMethod::kPaper;
  const auto extrapolates = [](const ComputationPredictor& by) {
    return std::any_of(by.notes().begin(), by.notes().end(), [](const std::string& note) {
      return note.find("the published regression is extrapolated") != std::string::npos;
    });
  };
  // One of the training programs, and the same with far more of one event than any of them.
  ProgramSamples usual = measured({}, pretended_programs(6, 3)[2], {kSparse, kDense}, true);
  const ComputationPredictor known(usual, &small_model(), options);
  ProgramSamples strange = usual;
  for (PhaseGroupSamples& group : strange.groups)
    for (PhaseSample& sample : group.samples)
      for (auto& [event, count] : sample.counts)
        if (event != "cycles" && event != "instructions") count *= 1000;
  const ComputationPredictor unknown(strange, &small_model(), options);
  CHECK_FALSE(extrapolates(known));
  CHECK(extrapolates(unknown));
  CHECK(width(unknown.on(kBetween)) > 2 * width(known.on(kBetween)));
  // However far off the regression is, sharing more makes nothing faster than what was measured.
  CHECK(unknown.on(kBetween).time >= *unknown.on(kSparse).low);
  CHECK(unknown.on(kBetween).time <= *unknown.on(kDense).high);
}

TEST_CASE(
    "no misses are less than one, where the counter counts, and unknown where it never does") {
  ProgramSamples program = memory_bound({kSparse, kDense}, true);
  PhaseGroupSamples quiet = program.groups.front();
  for (PhaseSample& sample : quiet.samples)
    for (const char* event : {"cache-misses", "LLC-load-misses", "LLC-misses", "L3-misses"})
      if (sample.counts.contains(event)) sample.counts[event] = 0;
  CHECK(counts_misses(program));
  CHECK(*curve_of(quiet, true)[0].log_misses < 0);
  CHECK_FALSE(curve_of(quiet, false)[0].log_misses.has_value());
  program.groups = {quiet};
  CHECK_FALSE(counts_misses(program));
}

TEST_CASE("asked to be simple, the time between two samples lies between their times") {
  const ComputationPredictor simple(memory_bound({kSparse, kDense}), nullptr, as_nearest());
  const ComputationForecast sparse = simple.on(kSparse);
  const ComputationForecast dense = simple.on(kDense);
  REQUIRE(sparse.low);
  REQUIRE(dense.high);
  CHECK(*sparse.low < sparse.time);
  CHECK(sparse.time < *sparse.high);
  for (const Pattern& pattern : all_patterns(2, 2, 2)) {
    if (pattern == kSparse || pattern == kDense) continue;
    const ComputationForecast between = simple.on(pattern);
    REQUIRE(between.low);
    CHECK(*between.low == *sparse.low);
    CHECK(*between.high == *dense.high);
    const Seconds truth{true_time({}, pretended_programs(8, 9)[6], pattern)};
    CHECK(*between.low < truth);
    CHECK(truth < *between.high);
  }
}

TEST_CASE("asked to be simple, nobody knows how wrong a pattern denser than all samples is") {
  const ComputationPredictor simple(memory_bound({kSparse, {1, 1, 2}}), nullptr, as_nearest());
  CHECK(simple.on(kBetween).time == simple.on({1, 1, 2}).time);
  CHECK_FALSE(simple.on(kBetween).low);
  CHECK(simple.on({2, 1, 1}).low);  // fewer share a die, as many a node
}

TEST_CASE("samples that contradict density still leave an interval, around the time") {
  ProgramSamples samples = memory_bound({kSparse, kBetween, kDense});
  for (PhaseGroupSamples& group : samples.groups)
    for (PhaseSample& sample : group.samples)
      sample.time = sample.pattern == kSparse ? Seconds{20} : Seconds{10};
  const ComputationPredictor simple(samples, nullptr, as_nearest());
  const ComputationForecast forecast = simple.on({1, 1, 2});
  REQUIRE(forecast.low);
  CHECK(*forecast.low < forecast.time);
  CHECK(forecast.time < *forecast.high);
}

TEST_CASE(
    "what was measured is predicted as it was, what was not lies in an interval around the truth") {
  const ComputationPredictor learnt = predictor(memory_bound({kSparse, kDense}, true));
  const double dense = true_time({}, pretended_programs(8, 9)[6], kDense);
  CHECK(learnt.on(kDense).measured);
  CHECK(learnt.on(kDense).time.value == doctest::Approx(dense));
  const ComputationForecast between = learnt.on(kBetween);
  CHECK_FALSE(between.measured);
  CHECK(*between.low < between.time);
  CHECK(between.time < *between.high);
  CHECK(between.time.value ==
        doctest::Approx(true_time({}, pretended_programs(8, 9)[6], kBetween)).epsilon(0.05));
}

TEST_CASE("one sample leaves much open, and a note says so") {
  const ComputationForecast two = predictor(memory_bound({kSparse, kDense})).on(kBetween);
  const ComputationPredictor single = predictor(memory_bound({kSparse}));
  CHECK(width(single.on(kBetween)) > 3 * width(two));
  REQUIRE(single.notes().size() == 1);
  CHECK(single.notes()[0] ==
        "all samples ran on 1:1:1: how contention slows this program down is guessed from the "
        "training programs, and the intervals are wide");
}

TEST_CASE("samples that no contention explains make wide intervals") {
  ProgramSamples samples = memory_bound({kSparse, kBetween, kDense});
  const double before = width(predictor(samples).on({2, 1, 2}));
  // Much slower in the middle than on the densest pattern.
  samples.groups[0].samples[1].time = samples.groups[0].samples[1].time * 3;
  const ComputationPredictor strange = predictor(samples);
  CHECK(width(strange.on({2, 1, 2})) > 2 * before);
  REQUIRE(strange.notes().size() == 1);
  CHECK(strange.notes()[0].starts_with("the samples contradict each other: no contention"));
}

TEST_CASE("a node larger than those of training is predicted less surely") {
  PredictorOptions large = on_small_node();
  large.node = {2, 4, 4};
  const ProgramSamples samples = memory_bound({kSparse, kDense});
  const ComputationPredictor extended(samples, &small_model(), large);
  CHECK(width(extended.on({2, 4, 4})) > width(predictor(samples).on(kBetween)));
  CHECK(extended.notes().back() ==
        "the model was learnt on nodes of 2:2:2 and is used on nodes of 2:4:4; the intervals are "
        "wider");
}

TEST_CASE("a method that can't be used is refused with what to do") {
  PredictorOptions options = on_small_node();
  options.method = ComputationMethod::kShared;
  CHECK(error_of<UsageError>([&] {
          ComputationPredictor(memory_bound({kSparse}), nullptr, options);
        }) == "the computation model \"shared\" must be learnt first, see huddle train");
  options.method = ComputationMethod::kPaper;
  CHECK(error_of<UsageError>([&] {
          ComputationPredictor(memory_bound({{1, 4, 4}}), &small_model(), options);
        }) ==
        "the paper's model needs training programs that ran on the patterns of the samples, 1:4:4, "
        "and on others: use the shared model, or sample 1:1:1 and 2:2:2");
  options.method = ComputationMethod::kSimple;
  CHECK(ComputationPredictor(memory_bound({kSparse}), &small_model(), options).method() ==
        ComputationMethod::kSimple);
}

TEST_CASE("the paper's model is fitted anew for samples on other patterns") {
  PredictorOptions options = on_small_node();
  options.method = ComputationMethod::kPaper;
  const ComputationPredictor paper(memory_bound({{1, 1, 2}, {2, 2, 1}}), &small_model(), options);
  CHECK(paper.method() == ComputationMethod::kPaper);
  CHECK(paper.on(kDense).time > Seconds{0});
}

TEST_CASE("a program that does not compute takes no time anywhere") {
  const ComputationPredictor idle(ProgramSamples{}, &small_model(), on_small_node());
  CHECK(idle.on(kDense).time == Seconds{0});
}

TEST_CASE("a model survives its document") {
  const std::string document = to_json({"", small_model(), {}});
  const Model read = parse_model(document, "m");
  CHECK(to_json(read) == document);
  const ComputationModel& again = read.computation;
  const ProgramSamples samples = memory_bound({kSparse, kDense}, true);
  const ComputationPredictor before = predictor(samples);
  const ComputationPredictor after(samples, &again, on_small_node());
  CHECK(before.method() == after.method());
  for (const Pattern& pattern : all_patterns(2, 2, 2))
    CHECK(before.on(pattern).time == after.on(pattern).time);
}

TEST_CASE("ranks of a node that is not full are predicted by how they share, not by the pattern") {
  const ComputationPredictor shared = predictor(memory_bound({kSparse, kDense}));
  const ComputationForecast full = shared.on(kDense);
  // Two packages, one with four ranks and one with two.
  const ComputationForecast partial = shared.on({{{2, 4, 6}, {0, 1, 2, 3}}, {{2, 2, 6}, {4, 5}}});
  CHECK(full.slowest == full.time);
  CHECK(partial.time < partial.slowest);
  CHECK(partial.slowest <= full.time);
  CHECK(*partial.low < partial.time);
  CHECK(*partial.high > partial.time);
  CHECK_FALSE(partial.measured);
  CHECK(shared.on({{sharing_of(kSparse), {0}}, {sharing_of(kDense), {1}}}).measured);
}

// The factor by which the program truly takes longer if its cores are so much slower.
double true_stretch(PretendedProgram program, const Pattern& pattern, double core_slowdown) {
  const double nominal = true_time({}, program, pattern);
  program.core_s *= core_slowdown;
  return true_time({}, program, pattern) / nominal;
}

TEST_CASE("without any hint all computation grows as the frequency falls") {
  const ComputationPredictor simple(memory_bound({kSparse, kDense}), nullptr, as_nearest());
  CHECK(simple.frequency_basis() == FrequencyBasis::kNothing);
  CHECK(simple.on(kDense, 1.5).time.value == doctest::Approx(1.5 * simple.on(kDense).time.value));
}

TEST_CASE("a model knows from two samples how frequency changes the time, measured or not") {
  for (const PretendedProgram& program : pretended_programs(8, 9)) {
    const ComputationPredictor learnt = predictor(measured({}, program, {kSparse, kDense}, true));
    CHECK(learnt.frequency_basis() == FrequencyBasis::kModel);
    for (const Pattern& pattern : {kSparse, kBetween, kDense}) {
      const ComputationForecast nominal = learnt.on(pattern);
      const ComputationForecast slower = learnt.on(pattern, 1.5);
      const double stretch = slower.time / nominal.time;
      CAPTURE(program.name);
      CAPTURE(pattern.name());
      CAPTURE(true_stretch(program, pattern, 1.5));
      CHECK(stretch >= 1);
      CHECK(stretch <= 1.5);
      CHECK(stretch == doctest::Approx(true_stretch(program, pattern, 1.5)).epsilon(0.12));
      CHECK(width(slower) >= width(nominal));
    }
  }
}

TEST_CASE("times alone say less about frequency, and the interval still holds the truth mostly") {
  int inside = 0;
  int all = 0;
  for (const PretendedProgram& program : pretended_programs(8, 9)) {
    const ComputationPredictor learnt = predictor(measured({}, program, {kSparse, kDense}, false));
    for (const Pattern& pattern : {kSparse, kBetween, kDense}) {
      const ComputationForecast slower = learnt.on(pattern, 1.5);
      const double truth = true_time({}, program, pattern) * true_stretch(program, pattern, 1.5);
      ++all;
      if (slower.low->value <= truth && truth <= slower.high->value) ++inside;
    }
  }
  CAPTURE(inside);
  CHECK(inside >= 0.8 * all);
}

TEST_CASE("runs at several frequencies count more than a model") {
  PredictorOptions options = on_small_node();
  options.core_time = Seconds{3};
  const ComputationPredictor learnt(memory_bound({kSparse, kDense}), &small_model(), options);
  CHECK(learnt.frequency_basis() == FrequencyBasis::kRuns);
  CHECK(learnt.on(kDense, 1.5).time.value ==
        doctest::Approx(learnt.on(kDense).time.value + 0.5 * 3));
}

}  // namespace
}  // namespace huddle::predict
