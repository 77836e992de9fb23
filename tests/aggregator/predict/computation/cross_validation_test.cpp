#include "aggregator/predict/computation/detail/cross_validation.hpp"

#include <doctest/doctest.h>

namespace huddle::predict {
namespace {

TEST_CASE("the model that is right gets all the weight") {
  const std::vector<double> weights =
      stacking_weights({{0.1, 0.001}, {-0.2, -0.001}, {0.15, 0.001}}, 2);
  CHECK(weights[0] == doctest::Approx(0).epsilon(0.02));
  CHECK(weights[1] == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("models that err in opposite directions are averaged") {
  const std::vector<double> weights = stacking_weights({{0.1, -0.1}, {0.2, -0.2}}, 2);
  CHECK(weights[0] == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("without errors to look at, all weigh the same") {
  CHECK(stacking_weights({}, 4) == std::vector<double>(4, 0.25));
}

TEST_CASE("weights are a share each") {
  double sum = 0;
  for (const double weight :
       stacking_weights({{0.3, 0.1, -0.2}, {0.1, 0.1, 0.1}, {-0.3, 0, 0.1}}, 3)) {
    CHECK(weight >= 0);
    sum += weight;
  }
  CHECK(sum == doctest::Approx(1));
}

TEST_CASE("an interval is as wide as nine in ten of the errors ask for") {
  std::vector<double> scores;
  for (int i = 1; i <= 99; ++i) scores.push_back(i);
  CHECK(conformal_widening(scores) == doctest::Approx(90 / kNinetyPercent));
  CHECK(conformal_widening({2, 5}) == doctest::Approx(5 / kNinetyPercent));
  CHECK(conformal_widening({}) == 3);
}

}  // namespace
}  // namespace huddle::predict
