#include <doctest/doctest.h>

#include <cmath>

#include "aggregator/predict/communication/time_curve.hpp"

namespace huddle::predict {
namespace {

// 1 s and 10 bytes/s.
const LinkTime kLink{{1}, {10}, Origin::kGiven};

TimeCurve curve_of(const std::vector<std::pair<std::uint64_t, double>>& times) {
  std::vector<TimeOfSize> known;
  for (const auto& [bytes, seconds] : times)
    known.push_back({{bytes}, {seconds}, Origin::kMeasured});
  return {known, kLink};
}

TEST_CASE("a size whose time is known takes that time") {
  const TimeCurve curve = curve_of({{0, 3}, {8, 4}, {128, 16}});
  CHECK(curve.seconds(0) == doctest::Approx(3));
  CHECK(curve.seconds(8) == doctest::Approx(4));
  CHECK(curve.seconds(128) == doctest::Approx(16));
}

TEST_CASE("between two sizes times stay in proportion") {
  const TimeCurve curve = curve_of({{8, 4}, {128, 16}});
  CHECK(curve.seconds(16) == doctest::Approx(4 * std::sqrt(2.0)));
  CHECK(curve.seconds(32) == doctest::Approx(8));
  CHECK(curve.seconds(64) == doctest::Approx(8 * std::sqrt(2.0)));
}

TEST_CASE("beyond the largest size a byte takes what it took before") {
  const TimeCurve curve = curve_of({{8, 4}, {100, 10}, {200, 15}});
  CHECK(curve.seconds(300) == doctest::Approx(15 + 100 / 20.0));
  CHECK(curve.bytes_per_second_beyond() == doctest::Approx(20));
}

TEST_CASE("where the last two sizes show no bandwidth, it is the link's") {
  CHECK(curve_of({{100, 10}}).seconds(200) == doctest::Approx(10 + 100 / 10.0));
  CHECK(curve_of({{100, 10}, {200, 9}}).seconds(300) == doctest::Approx(9 + 100 / 10.0));
}

TEST_CASE("below the smallest size the time shrinks as over the link") {
  const TimeCurve curve = curve_of({{90, 20}, {100, 21}});
  CHECK(curve.seconds(90) == doctest::Approx(20));
  CHECK(curve.seconds(40) == doctest::Approx(20 * (1 + 4.0) / (1 + 9.0)));
  CHECK(curve.seconds(0) == doctest::Approx(20 * 1.0 / (1 + 9.0)));
}

TEST_CASE("a curve through a function's values takes them at its sizes") {
  const TimeCurve curve(
      {8, 128}, [](double bytes) { return bytes / 4; }, kLink);
  CHECK(curve.seconds(8) == doctest::Approx(2));
  CHECK(curve.seconds(32) == doctest::Approx(8));
  CHECK(curve.seconds(1024) == doctest::Approx(256));
}

}  // namespace

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

}  // namespace huddle::predict
