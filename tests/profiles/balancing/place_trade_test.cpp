#include "profiles/balancing/place_trade.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "profiles/vocabulary/error.hpp"

using namespace huddle;

namespace {

const ClockSteps kSteps({{1.2e9}, {1.4e9}, {1.6e9}, {1.8e9}, {2.0e9}, {2.2e9}, {2.4e9}});

std::vector<Workload> work_of(const std::vector<double>& seconds) {
  std::vector<Workload> work;
  for (const double each : seconds) work.push_back({{each}, 1});
  return work;
}

// Two places a clock.
std::vector<ClockPlace> pairs(std::size_t count) {
  std::vector<ClockPlace> places(count);
  for (std::uint32_t i = 0; i < count; ++i) places[i].clock = i / 2;
  return places;
}

}  // namespace

TEST_CASE("ranks with like loads get one clock, and as few as possible move") {
  const auto goes_to = worthwhile_trade(work_of({1, 0.5, 1, 0.5}), pairs(4), {1}, kSteps);
  REQUIRE(goes_to);
  CHECK((*goes_to)[0] / 2 == (*goes_to)[2] / 2);
  CHECK((*goes_to)[1] / 2 == (*goes_to)[3] / 2);
  int stay = 0;
  for (std::uint32_t i = 0; i < 4; ++i) stay += (*goes_to)[i] == i ? 1 : 0;
  CHECK(stay == 2);
}

TEST_CASE("each place gets one rank") {
  std::vector<double> loads(24);
  for (std::size_t i = 0; i < loads.size(); ++i) loads[i] = 0.5 + 0.5 * double((7 * i) % 24) / 24;
  auto goes_to = worthwhile_trade(work_of(loads), pairs(24), {1}, kSteps);
  REQUIRE(goes_to);
  std::sort(goes_to->begin(), goes_to->end());
  std::vector<std::uint32_t> all(24);
  std::iota(all.begin(), all.end(), 0U);
  CHECK(*goes_to == all);
}

TEST_CASE("nobody trades where loads are alike, or are alike on each clock already") {
  CHECK_FALSE(worthwhile_trade(work_of({1, 1, 1, 1}), pairs(4), {1}, kSteps));
  CHECK_FALSE(worthwhile_trade(work_of({1, 1, 0.5, 0.5}), pairs(4), {1}, kSteps));
}

TEST_CASE("a trade that saves little is not made") {
  // 0.93 needs 2.4 GHz, and 0.9 needs 2.2: two clocks of four would fall by a twelfth.
  CHECK_FALSE(worthwhile_trade(work_of({1, 0.9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.9, 1, 1}),
                               pairs(16), {1}, kSteps));
}

TEST_CASE("what is not known is not traded") {
  CHECK_FALSE(worthwhile_trade(work_of({1, 0.5, 1, 0}), pairs(4), {1}, kSteps));
}

TEST_CASE("ranks stay on their NUMA node, and trade with those alone that have as many PUs") {
  std::vector<ClockPlace> places = pairs(4);
  places[2].numa_node = places[3].numa_node = 1;
  CHECK_FALSE(worthwhile_trade(work_of({1, 0.5, 1, 0.5}), places, {1}, kSteps));
  places = pairs(4);
  places[0].pus = places[1].pus = 2;
  CHECK_FALSE(worthwhile_trade(work_of({1, 0.5, 1, 0.5}), places, {1}, kSteps));
}

TEST_CASE("sizes that don't match are an error") {
  CHECK_THROWS_AS(worthwhile_trade(work_of({1, 0.5}), pairs(4), {1}, kSteps), Error);
}
