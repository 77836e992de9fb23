#include "aggregator/predict/computation/detail/simplex_search.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace huddle::predict {
namespace {

TEST_CASE("a simplex search finds the bottom of a bowl and of a kinked valley") {
  SimplexOptions options;
  options.evaluations = 500;
  options.tolerance = 1e-12;
  const Minimum bowl = search_minimum(
      [](const std::vector<double>& x) {
        return 7 + std::pow(x[0] - 3, 2) + 10 * std::pow(x[1] + 1, 2);
      },
      {0, 0}, options);
  CHECK(bowl.value == doctest::Approx(7));
  CHECK(bowl.at[0] == doctest::Approx(3).epsilon(0.001));
  CHECK(bowl.at[1] == doctest::Approx(-1).epsilon(0.001));
  const Minimum kink = search_minimum(
      [](const std::vector<double>& x) { return std::abs(x[0] - 2) + std::abs(x[1]); }, {0, 1},
      options);
  CHECK(kink.value < 0.01);
}

TEST_CASE("a search calls its function about as often as it may, and takes nothing to search") {
  std::size_t calls = 0;
  SimplexOptions options;
  options.evaluations = 50;
  options.tolerance = 0;
  search_minimum(
      [&](const std::vector<double>& x) {
        ++calls;
        return std::cos(x[0]) + x[1] * x[1];
      },
      {0.3, 2}, options);
  CHECK(calls < 60);
  CHECK(search_minimum([](const std::vector<double>&) { return 4.0; }, {}).value == 4);
}

}  // namespace
}  // namespace huddle::predict
