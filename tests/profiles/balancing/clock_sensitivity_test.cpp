#include "profiles/balancing/clock_sensitivity.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "profiles/balancing/workload.hpp"

namespace huddle::balancing {

TEST_CASE("before the clock has changed, any sensitivity may be") {
  ClockSensitivity sensitivity({2.4e9});
  for (int i = 0; i < 20; ++i) sensitivity.observe({1.0 + 0.01 * (i % 3)}, {2.4e9});
  CHECK(sensitivity.lower() <= 0.05);
  CHECK(sensitivity.upper() >= 0.95);
}

TEST_CASE("the true sensitivity lies in its interval, in nine of ten random cases and more") {
  std::mt19937_64 random(41);
  std::uniform_real_distribution<double> share(0, 1);
  int inside = 0;
  double width = 0;
  constexpr int kCases = 500;
  for (int round = 0; round < kCases; ++round) {
    const double truth = share(random);
    std::normal_distribution<double> noise(1, 0.01);
    ClockSensitivity sensitivity({2.4e9});
    Hertz clock{2.4e9};
    for (int i = 0; i < 12; ++i) {
      sensitivity.observe({stretch(truth, clock, {2.4e9}) * noise(random)}, clock);
      if (i % 2 == 1) clock = clock < Hertz{2e9} ? Hertz{2.4e9} : Hertz{1.2e9};
    }
    if (sensitivity.lower() <= truth && truth <= sensitivity.upper()) ++inside;
    width += sensitivity.upper() - sensitivity.lower();
  }
  CHECK(inside >= 0.9 * kCases);
  CHECK(width / kCases < 0.2);
}

TEST_CASE("a load that doubles by chance as the clock changes does not decide") {
  ClockSensitivity sensitivity({2.4e9});
  const auto observe = [&](double load, Hertz clock) {
    sensitivity.observe({load * stretch(1, clock, {2.4e9})}, clock);
  };
  for (int i = 0; i < 4; ++i) observe(1, {2.4e9});
  observe(0.5, {1.2e9});  // looks as if the clock had no effect
  for (int i = 0; i < 3; ++i) {
    observe(0.5, {2.4e9});
    observe(0.5, {1.2e9});
  }
  CHECK(sensitivity.mean() > 0.9);
}

TEST_CASE("times and clocks that are none are passed over") {
  ClockSensitivity sensitivity({2.4e9});
  sensitivity.observe({0}, {2.4e9});
  sensitivity.observe({1}, {0});
  sensitivity.observe({-1}, {1.2e9});
  CHECK(sensitivity.upper() == 1);
}

}  // namespace huddle::balancing
