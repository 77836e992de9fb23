#include "aggregator/forecast/laws/detail/nonnegative_fit.hpp"

#include <doctest/doctest.h>

#include <random>

namespace huddle::forecast {
namespace {

TEST_CASE("where least squares are not negative, they are the answer") {
  Eigen::MatrixXd a(4, 2);
  a << 1, 0, 1, 1, 1, 2, 1, 3;
  const Eigen::Vector2d truth(2, 0.5);
  const Eigen::VectorXd found = solve_nonnegative(a.transpose() * a, a.transpose() * (a * truth));
  CHECK(found[0] == doctest::Approx(2));
  CHECK(found[1] == doctest::Approx(0.5));
}

TEST_CASE("the answer keeps the conditions of Karush, Kuhn and Tucker") {
  std::mt19937_64 random(3);
  const auto number = [&random] { return static_cast<double>(random() % 2001) / 1000 - 1; };
  for (int round = 0; round < 50; ++round) {
    const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(12, 6, number);
    const Eigen::VectorXd b = Eigen::VectorXd::NullaryExpr(12, number);
    const Eigen::VectorXd found = solve_nonnegative(a.transpose() * a, a.transpose() * b);
    const Eigen::VectorXd gain = a.transpose() * (b - a * found);
    for (Eigen::Index i = 0; i < found.size(); ++i) {
      CHECK(found[i] >= 0);
      CHECK(gain[i] < 1e-6);                       // no column would help
      CHECK(std::abs(gain[i] * found[i]) < 1e-6);  // those in use are fitted
    }
  }
}

TEST_CASE("an outlier weighs less the farther away it is") {
  const Eigen::VectorXd errors{{0.1, -0.1, 0.05, 0.1, -0.05, 3, 30}};
  const Eigen::VectorXd weights = outlier_weights(errors, 1.345);
  CHECK(weights[2] == 1);
  CHECK(weights[5] < 0.1);
  CHECK(weights[6] == doctest::Approx(weights[5] / 10));
}

}  // namespace
}  // namespace huddle::forecast
