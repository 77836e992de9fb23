#include "aggregator/predict/computation/regression.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

TEST_CASE("least squares finds the plane that points lie on") {
  RegressionData data;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 3; ++y) {
      data.terms.push_back({1.0 * x, 1.0 * y});
      data.targets.push_back(5 + 2 * x - 3 * y);
      data.folds.push_back(data.folds.size());
    }
  const LinearFit fit = fit_linear(data);
  CHECK(fit.strength == 0);
  CHECK(fit.constant == doctest::Approx(5));
  CHECK(fit.coefficients[0] == doctest::Approx(2));
  CHECK(fit.coefficients[1] == doctest::Approx(-3));
  CHECK(fit.left_out_error == doctest::Approx(0));
  CHECK(fit.at({10, 1}) == doctest::Approx(22));
}

TEST_CASE("a ridge draws slopes to zero, as worked out by hand") {
  // Standardised, the terms are -1 and 1 and the targets -2 and 2: slope 4 / (2 + 1 x 2).
  const LinearFit fit = fit_linear({{{0}, {2}}, {0, 4}, {0, 1}}, 1);
  CHECK(fit.coefficients[0] == doctest::Approx(1));
  CHECK(fit.constant == doctest::Approx(1));
}

TEST_CASE("with fewer rows than coefficients, a ridge is chosen by the rows left out") {
  RegressionData data;
  for (int row = 0; row < 5; ++row) {
    data.terms.push_back({});
    for (int term = 0; term < 8; ++term) data.terms.back().push_back(std::sin(row * 8 + term));
    data.targets.push_back(3 + data.terms.back()[0]);
    data.folds.push_back(data.folds.size());
  }
  const LinearFit fit = fit_linear(data);
  CHECK(fit.strength > 0);
  CHECK(std::isfinite(fit.left_out_error));
}

TEST_CASE("a term that does not vary gets no coefficient") {
  const LinearFit fit = fit_linear({{{7, 1}, {7, 2}, {7, 4}}, {1, 2, 4}, {0, 1, 2}}, 0);
  CHECK(fit.coefficients[0] == 0);
  CHECK(fit.coefficients[1] == doctest::Approx(1));
}

TEST_CASE("rows of one fold are left out together") {
  // Two programs, each twice: who leaves out one row of two sees the other one and errs not at all.
  const RegressionData data{{{0}, {0}, {1}, {1}, {2}, {2}}, {0, 0, 1, 1, 4, 4}, {0, 0, 1, 1, 2, 2}};
  RegressionData single = data;
  single.folds = {0, 1, 2, 3, 4, 5};
  CHECK(fit_linear(data).left_out_error > fit_linear(single).left_out_error);
}

TEST_CASE("one fold has no error to show, and no rows are an error") {
  CHECK(std::isnan(fit_linear({{{0}, {1}}, {0, 1}, {3, 3}}).left_out_error));
  CHECK(error_of<UsageError>([] { fit_linear({}); }) ==
        "a regression needs samples, and there are none");
}

TEST_CASE("correlation is 1, -1 or 0 where everybody sees it") {
  CHECK(correlation({1, 2, 3}, {10, 20, 30}) == doctest::Approx(1));
  CHECK(correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
  CHECK(correlation({1, 1, 1}, {3, 2, 1}) == 0);
  CHECK(correlation({}, {}) == 0);
}

}  // namespace
}  // namespace huddle::predict
