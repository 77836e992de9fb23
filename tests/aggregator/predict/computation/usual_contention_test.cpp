#include "aggregator/predict/computation/shared_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/aggregator/predict/computation/synthetic_truth.hpp"

namespace huddle::predict {
namespace {

// A rank gets 10 GB/s alone, a die 20, a package 40 and a node 60, however many stream.
std::vector<MemoryStream> measured_streams() {
  return {{Distance::kDie, 1, {1e10}, Origin::kMeasured},
          {Distance::kDie, 2, {2e10}, Origin::kMeasured},
          {Distance::kDie, 4, {1.9e10}, Origin::kMeasured},
          {Distance::kPackage, 8, {4e10}, Origin::kMeasured},
          {Distance::kNode, 16, {6e10}, Origin::kMeasured}};
}

double share(const ContentionModel& model, MachineParameter parameter) {
  return std::exp(model.machine[static_cast<std::size_t>(parameter)]);
}

TEST_CASE("what a rank can take of a die, a package and a node is as streams measured it") {
  for (const ContentionModel& shape : usual_contention(measured_streams()).shapes) {
    CHECK(share(shape, MachineParameter::kDieShare) == doctest::Approx(0.5));
    CHECK(share(shape, MachineParameter::kPackageShare) == doctest::Approx(0.25));
    CHECK(share(shape, MachineParameter::kNodeShare) == doctest::Approx(1.0 / 6));
  }
}

TEST_CASE(
    "memory that no two ranks were measured on limits nothing, and one rank alone says nothing") {
  const std::vector<MemoryStream> one_die = {{Distance::kDie, 1, {1e10}, Origin::kMeasured},
                                             {Distance::kDie, 2, {1.5e10}, Origin::kMeasured}};
  for (const ContentionModel& shape : usual_contention(one_die).shapes)
    CHECK(share(shape, MachineParameter::kNodeShare) < 1e-3);
  const std::vector<MemoryStream> alone = {{Distance::kDie, 1, {1e10}, Origin::kMeasured}};
  CHECK(usual_contention(alone) == usual_contention({}));
}

TEST_CASE("less than one rank's bandwidth for several is taken to be one rank's") {
  const std::vector<MemoryStream> noisy = {{Distance::kDie, 1, {1e10}, Origin::kMeasured},
                                           {Distance::kDie, 2, {0.9e10}, Origin::kMeasured}};
  for (const ContentionModel& shape : usual_contention(noisy).shapes)
    CHECK(share(shape, MachineParameter::kDieShare) == doctest::Approx(1));
}

TEST_CASE("mechanisms weigh alike, and their weights sum to 1") {
  for (const auto& model : {usual_contention({}), usual_contention(measured_streams())}) {
    double sum = 0;
    for (const double weight : model.weights) {
      CHECK(weight == model.weights.front());
      sum += weight;
    }
    CHECK(sum == doctest::Approx(1));
    CHECK(model.shapes.size() == model.weights.size());
  }
}

// Programs and a machine that nothing was learnt from.
TEST_CASE("two samples and what is usual tell the times in between, and how wrong they may be") {
  const std::vector<Pattern> samples = {{1, 1, 1}, {2, 2, 2}};
  int inside = 0;
  int all = 0;
  double error = 0;
  for (const PretendedProgram& program : pretended_programs(24, 5)) {
    const SharedPrediction prediction(usual_contention({}), measured({}, program, samples, false));
    for (const Pattern& pattern : all_patterns(2, 2, 2)) {
      if (pattern == samples[0] || pattern == samples[1]) continue;
      const PredictedTime predicted = prediction.on(sharing_of(pattern));
      const double off = std::log(predicted.time.value / true_time({}, program, pattern));
      error += std::abs(off);
      inside += std::abs(off) <= kNinetyPercent * predicted.relative_error ? 1 : 0;
      ++all;
    }
  }
  CAPTURE(error / all);
  CAPTURE(inside);
  CHECK(error / all < 0.04);
  CHECK(inside >= 0.85 * all);
}

}  // namespace
}  // namespace huddle::predict
