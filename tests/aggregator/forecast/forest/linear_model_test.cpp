#include "aggregator/forecast/forest/linear_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace huddle::forecast {
namespace {

double r_squared_times(double factor) {
  std::vector<double> measured = {1, 2, 3, 4};
  std::vector<double> predicted = {1.5, 2, 3, 3.5};
  for (double& value : measured) value *= factor;
  for (double& value : predicted) value *= factor;
  return r_squared(measured, predicted);
}

TEST_CASE("R^2 is the share of the variance that is predicted, and NaN where nothing varies") {
  CHECK(r_squared_times(1) == doctest::Approx(0.9));
  CHECK(std::isnan(r_squared(std::vector<double>{2, 2}, std::vector<double>{1, 2})));
  CHECK(std::isnan(r_squared({}, {})));
}

TEST_CASE("R^2 is the same in whatever unit values are, even one whose squares no double holds") {
  CHECK(r_squared_times(1e200) == doctest::Approx(0.9));
  CHECK(r_squared_times(1e-200) == doctest::Approx(0.9));
}

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST_CASE("least squares finds the coefficients of a linear function, whatever their scales") {
  constexpr std::size_t kRows = 200;
  FeatureMatrix features(kRows, 2);
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto x = static_cast<double>(i);
    features.feature(0)[i] = 1e12 + 1e9 * std::sin(x);
    features.feature(1)[i] = 1e-9 * std::cos(3 * x);
    values.push_back(5 + 2e-9 * features.at(i, 0) - 4e9 * features.at(i, 1));
  }
  const LinearModel model = LinearModel::fit(features, values, all_rows(kRows));
  CHECK(model.coefficients[0] == doctest::Approx(2e-9));
  CHECK(model.coefficients[1] == doctest::Approx(-4e9));
  const std::vector<double> predicted =
      model.predict(features, {std::vector<std::uint32_t>{3, 199}});
  CHECK(predicted[0] == doctest::Approx(values[3]));
  CHECK(predicted[1] == doctest::Approx(values[199]));
}

TEST_CASE("features that do not vary or follow from others change nothing") {
  constexpr std::size_t kRows = 50;
  FeatureMatrix features(kRows, 4);
  std::vector<double> values;
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto x = static_cast<double>(i);
    features.feature(0)[i] = x;
    features.feature(1)[i] = 0.1;
    features.feature(2)[i] = 3 * x + 7;
    features.feature(3)[i] = x * x;
    values.push_back(2 * x - x * x);
  }
  const LinearModel model = LinearModel::fit(features, values, all_rows(kRows));
  CHECK(model.coefficients[1] == 0);
  const std::vector<double> predicted = model.predict(features, all_rows(kRows));
  for (std::size_t i = 0; i < kRows; ++i) CHECK(predicted[i] == doctest::Approx(values[i]));
}

TEST_CASE("only the rows that are named are learnt from") {
  FeatureMatrix features(4, 1);
  const std::vector<double> values = {1, 3, 1000, 7};
  for (std::size_t i = 0; i < 4; ++i) features.feature(0)[i] = static_cast<double>(i);
  const std::vector<std::uint32_t> rows = {0, 1, 3};
  const LinearModel model = LinearModel::fit(features, values, rows);
  CHECK(model.constant == doctest::Approx(1));
  CHECK(model.coefficients[0] == doctest::Approx(2));
}

TEST_CASE("a single row is predicted for all") {
  FeatureMatrix features(2, 1);
  features.feature(0)[1] = 5;
  const std::vector<double> values = {3, 0};
  const std::vector<std::uint32_t> rows = {0};
  const LinearModel model = LinearModel::fit(features, values, rows);
  CHECK(model.predict(features, all_rows(2)) == std::vector<double>{3, 3});
}

}  // namespace
}  // namespace huddle::forecast
