#include "aggregator/predict/communication/link_fit.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("times of a link give its latency and bandwidth back") {
  std::vector<TimeOfSize> times;
  for (const std::uint64_t bytes : {0U, 64U, 4096U, 1U << 20U})
    times.push_back({{bytes}, {2e-6 + static_cast<double>(bytes) / 3e9}, Origin::kMeasured});
  const auto link = fitted_link(times);
  REQUIRE(link);
  CHECK(link->latency.value == doctest::Approx(2e-6));
  CHECK(link->bandwidth.value == doctest::Approx(3e9));
  CHECK(link->origin == Origin::kMeasured);
}

TEST_CASE("an error counts by its share of the time, at small and at large sizes") {
  // 10 % too long at both ends: the fit is 10 % slower in both figures.
  const auto link =
      fitted_link({{{0}, {1.1}, Origin::kGiven}, {{1000}, {1.1 * 101}, Origin::kGiven}});
  REQUIRE(link);
  CHECK(link->latency.value == doctest::Approx(1.1));
  CHECK(link->bandwidth.value == doctest::Approx(10 / 1.1));
}

TEST_CASE("times that do not grow with the size, or of one size, are no link") {
  CHECK(!fitted_link({{{8}, {1}, Origin::kGiven}}));
  CHECK(!fitted_link({{{8}, {1}, Origin::kGiven}, {{800}, {1}, Origin::kGiven}}));
  CHECK(!fitted_link({{{8}, {1}, Origin::kGiven}, {{800}, {0.5}, Origin::kGiven}}));
  CHECK(!fitted_link({{{8}, {1e-9}, Origin::kGiven}, {{16}, {1}, Origin::kGiven}}));
}

}  // namespace
}  // namespace huddle
