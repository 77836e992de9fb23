#include "aggregator/forecast/goodness.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace huddle;

namespace {

double r_squared_times(double factor) {
  std::vector<double> measured = {1, 2, 3, 4};
  std::vector<double> predicted = {1.5, 2, 3, 3.5};
  for (double& value : measured) value *= factor;
  for (double& value : predicted) value *= factor;
  return r_squared(measured, predicted);
}

}  // namespace

TEST_CASE("R^2 is the share of the variance that is predicted, and NaN where nothing varies") {
  CHECK(r_squared_times(1) == doctest::Approx(0.9));
  CHECK(std::isnan(r_squared(std::vector<double>{2, 2}, std::vector<double>{1, 2})));
  CHECK(std::isnan(r_squared({}, {})));
}

TEST_CASE("R^2 is the same in whatever unit values are, even one whose squares no double holds") {
  CHECK(r_squared_times(1e200) == doctest::Approx(0.9));
  CHECK(r_squared_times(1e-200) == doctest::Approx(0.9));
}
