#include "aggregator/waitstates/comparison/run_change.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

namespace huddle {
namespace {

TEST_CASE("quantiles of Student's distribution are those of tables") {
  CHECK(student_quantile_of(0.995, 1) == doctest::Approx(63.657).epsilon(1e-4));
  CHECK(student_quantile_of(0.995, 2) == doctest::Approx(9.925).epsilon(1e-4));
  CHECK(student_quantile_of(0.995, 3) == doctest::Approx(5.841).epsilon(1e-4));
  CHECK(student_quantile_of(0.975, 5) == doctest::Approx(2.571).epsilon(1e-3));
  CHECK(student_quantile_of(0.995, 10) == doctest::Approx(3.169).epsilon(1e-3));
  CHECK(student_quantile_of(0.995, 1000) == doctest::Approx(2.581).epsilon(1e-3));
  CHECK(student_quantile_of(0.5, 4) == doctest::Approx(0).epsilon(1e-9));
}

TEST_CASE("of one run on each side nothing is known of chance") {
  const RunChange change = change_of(std::vector{2.0}, std::vector{3.0});
  CHECK(change.difference() == 1);
  CHECK_FALSE(change.noise.has_value());
  CHECK_FALSE(change.beyond_noise().has_value());
}

TEST_CASE("noise is Welch's interval") {
  // Standard errors 0.1 and 0.3, 2.43 degrees of freedom, which count as 2.
  const std::vector<double> before = {9.8268, 10, 10.1732};
  const std::vector<double> after = {11.4804, 12, 12.5196};
  const RunChange change = change_of(before, after);
  CHECK(change.difference() == doctest::Approx(2));
  REQUIRE(change.noise.has_value());
  CHECK(*change.noise == doctest::Approx(9.925 * 0.31623).epsilon(1e-3));
  CHECK(change.beyond_noise() == false);
}

TEST_CASE("a single run is taken to vary as the other side does") {
  const RunChange change = change_of(std::vector{5.0}, std::vector{1.0, 1.1, 0.9});
  REQUIRE(change.noise.has_value());
  CHECK(*change.noise == doctest::Approx(9.925 * 0.1 * 1.1547).epsilon(1e-3));
  CHECK(change.beyond_noise() == true);
}

TEST_CASE("runs that are all alike differ if they do") {
  CHECK(change_of(std::vector{1.0, 1.0}, std::vector{1.0, 1.0}).beyond_noise() == false);
  CHECK(change_of(std::vector{1.0, 1.0}, std::vector{1.5, 1.5}).beyond_noise() == true);
}

TEST_CASE("where nothing changed, one difference in a hundred is beyond noise at most") {
  std::mt19937 random(7);
  std::normal_distribution<double> steady(1, 0.01);
  std::normal_distribution<double> uneven(1, 0.03);
  for (const std::size_t runs : {2U, 3U, 5U}) {
    int beyond = 0;
    int found = 0;
    constexpr int kTrials = 5000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> before;
      std::vector<double> after;
      std::vector<double> longer;
      for (std::size_t i = 0; i < runs; ++i) {
        before.push_back(steady(random));
        after.push_back(uneven(random));
        longer.push_back(uneven(random) + 1);
      }
      beyond += change_of(before, after).beyond_noise() == true ? 1 : 0;
      found += change_of(before, longer).beyond_noise() == true ? 1 : 0;
    }
    CAPTURE(runs);
    CHECK(beyond < 0.015 * kTrials);
    CHECK(found > (runs == 2 ? 0.3 : 0.95) * kTrials);
  }
}

}  // namespace
}  // namespace huddle
