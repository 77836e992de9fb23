#include "aggregator/predict/hybrid/configuration_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "aggregator/predict/hybrid/published_terms.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr Hertz kTop{2.4e9};
constexpr Hertz kSecond{2.2e9};
constexpr Hertz kLow{1.2e9};
const hybrid::TeamNode kNode{
    .packages = 2, .dies_per_package = 1, .cores_per_die = 8, .nominal = kTop};
constexpr hybrid::TeamConfiguration kAll{16, 16, 2, kTop};
constexpr hybrid::TeamConfiguration kHalf{16, 8, 2, kTop};
constexpr hybrid::TeamConfiguration kOnePackage{16, 8, 1, kTop};
constexpr hybrid::TeamConfiguration kAllLow{16, 16, 2, kLow};
constexpr hybrid::TeamConfiguration kHalfLow{16, 8, 2, kLow};

// Work on all cores at the top clock, and a flow that two packages share whatever cores do.
struct MadeUp {
  double work = 1;
  double flow = 0;

  [[nodiscard]] TeamSample on(const hybrid::TeamConfiguration& configuration) const {
    const double slower = kTop / configuration.clock * 16 / configuration.cores;
    return {configuration, {work * slower + flow * 2 / configuration.packages}, 1e-6, 100, {}};
  }
};

PhaseSamples phase_of(std::string program, const MadeUp& made_up,
                      const std::vector<hybrid::TeamConfiguration>& configurations) {
  PhaseSamples phase{std::move(program), {}};
  for (const hybrid::TeamConfiguration& configuration : configurations)
    phase.samples.push_back(made_up.on(configuration));
  return phase;
}

std::vector<hybrid::TeamConfiguration> samples() {
  return published_samples(kNode, kSecond, true);
}

std::vector<PhaseSamples> training_phases() {
  std::vector<hybrid::TeamConfiguration> all = samples();
  all.insert(all.end(), {kHalf, kAllLow, kHalfLow});
  std::vector<PhaseSamples> phases;
  for (int program = 0; program < 5; ++program)
    for (int i = 0; i < 4; ++i)
      phases.push_back(
          phase_of(std::to_string(program), {0.01 * (1 + program + i), 0.013 * i}, all));
  return phases;
}

TeamTime predict_one(const ConfigurationTimes& times, const PhaseSamples& measured,
                     const hybrid::TeamConfiguration& target) {
  return times.predict(measured, std::vector{target}).front();
}

double width(const TeamTime& time) {
  return time.high / time.low;
}

}  // namespace

TEST_CASE("a configuration that was measured takes what was measured, and its interval is narrow") {
  const auto times = ConfigurationTimes::without_training(kNode);
  const TeamTime time = predict_one(times, phase_of("p", {0.1, 0}, {kAll}), kAll);
  CHECK(time.time.value == doctest::Approx(0.1));
  CHECK(width(time) < 1.1);
  CHECK(time.low < time.time);
  CHECK(time.time < time.high);
}

TEST_CASE(
    "one sample leaves open whether a phase computes or waits for memory: the interval holds "
    "both") {
  const auto times = ConfigurationTimes::without_training(kNode);
  const PhaseSamples measured = phase_of("p", {0.1, 0}, {kAll});
  const TeamTime half = predict_one(times, measured, kHalf);
  CHECK(half.low.value < 0.12);
  CHECK(half.high.value > 0.199);
  const TeamTime slow = predict_one(times, measured, kAllLow);
  CHECK(slow.low.value < 0.12);
  CHECK(slow.high.value > 0.19);
}

TEST_CASE("three samples tell work from flow, without training") {
  const auto times = ConfigurationTimes::without_training(kNode);
  const MadeUp work{0.1, 0};
  const TeamTime half = predict_one(times, phase_of("p", work, samples()), kHalf);
  CHECK(half.time.value == doctest::Approx(0.2).epsilon(0.05));
  CHECK(width(half) < 1.4);
  const MadeUp flow{0.01, 0.2};
  const TeamTime slow = predict_one(times, phase_of("p", flow, samples()), kAllLow);
  CHECK(slow.time.value == doctest::Approx(flow.on(kAllLow).mean.value).epsilon(0.1));
}

TEST_CASE("a clock of 0 is the top clock") {
  const auto times = ConfigurationTimes::without_training(kNode);
  const PhaseSamples measured = phase_of("p", {0.1, 0.02}, {kAllLow});
  hybrid::TeamConfiguration left = kHalf;
  left.clock = {};
  CHECK(predict_one(times, measured, left) == predict_one(times, measured, kHalf));
}

TEST_CASE("times scale with the samples, without training") {
  const auto times = ConfigurationTimes::without_training(kNode);
  PhaseSamples measured = phase_of("p", {0.1, 0.05}, {kAll, kOnePackage});
  const TeamTime one = predict_one(times, measured, kHalfLow);
  for (TeamSample& sample : measured.samples) {
    sample.mean = sample.mean * 1000;
    sample.variance_s2 *= 1e6;
  }
  const TeamTime thousand = predict_one(times, measured, kHalfLow);
  CHECK(thousand.time / one.time == doctest::Approx(1000));
  CHECK(width(thousand) == doctest::Approx(width(one)));
}

TEST_CASE("training narrows intervals, and holds for a program that it has not seen") {
  const std::vector<PhaseSamples> phases = training_phases();
  const auto times = ConfigurationTimes::trained(kNode, phases, samples());
  const MadeUp unseen{0.033, 0.022};
  const PhaseSamples measured = phase_of("unseen", unseen, samples());
  for (const hybrid::TeamConfiguration& target : {kHalf, kAllLow, kHalfLow}) {
    const TeamTime time = predict_one(times, measured, target);
    CHECK(time.time.value == doctest::Approx(unseen.on(target).mean.value).epsilon(0.03));
    CHECK(width(time) <
          width(predict_one(ConfigurationTimes::without_training(kNode), measured, target)));
  }
}

TEST_CASE("what training does not know is predicted as without training") {
  const std::vector<PhaseSamples> phases = training_phases();
  const auto times = ConfigurationTimes::trained(kNode, phases, samples());
  const auto without = ConfigurationTimes::without_training(kNode);
  constexpr hybrid::TeamConfiguration kQuarter{16, 4, 1, kTop};
  const PhaseSamples measured = phase_of("p", {0.1, 0.05}, samples());
  CHECK(predict_one(times, measured, kQuarter) == predict_one(without, measured, kQuarter));
  // A sample is missing.
  const PhaseSamples less = phase_of("p", {0.1, 0.05}, {kAll});
  CHECK(predict_one(times, less, kHalfLow) == predict_one(without, less, kHalfLow));
  // Two programs tell nothing of a third one.
  const auto two = ConfigurationTimes::trained(kNode, std::span(phases).first(8), samples());
  CHECK(predict_one(two, measured, kHalfLow) == predict_one(without, measured, kHalfLow));
}

TEST_CASE("training phases that differ in their event rates are an error") {
  std::vector<PhaseSamples> phases = training_phases();
  phases[3].samples[1].event_rates = {1};
  CHECK_THROWS_AS((void)ConfigurationTimes::trained(kNode, phases, samples()), UsageError);
}

}  // namespace huddle::predict
