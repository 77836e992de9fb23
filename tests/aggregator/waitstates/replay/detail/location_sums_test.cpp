#include "aggregator/waitstates/replay/detail/location_sums.hpp"

#include <doctest/doctest.h>

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {
namespace {

PowerStates one_state() {
  PowerStates power;
  PowerState state;
  state.name = "full";
  state.active_w = 10;
  state.idle_w = 4;
  power.states = {state};
  return power;
}

Waiting in_call(std::uint64_t enter, std::uint64_t leave) {
  Waiting waiting;
  waiting.enter = enter;
  waiting.leave = leave;
  return waiting;
}

TEST_CASE("call paths are numbered in the order of their first visit, parents first") {
  CallPathTree tree;
  const std::uint32_t main = tree.below(CallPath::kRoot, 0);
  const std::uint32_t solve = tree.below(main, 1);
  CHECK(tree.below(main, 2) == 2);
  CHECK(tree.below(main, 1) == solve);
  CHECK(tree.below(solve, 1) == 3);  // recursion
  CHECK(tree.below(CallPath::kRoot, 0) == main);
  REQUIRE(tree.paths().size() == 4);
  CHECK(tree.paths()[3].parent == solve);
  CHECK(tree.paths()[3].region == 1);
}

TEST_CASE("each tick of waiting counts once, for the first pattern, and ends with the call") {
  const WaitCost cost(one_state(), 1e9);
  LocationSums sums(cost, nullptr);
  Waiting waiting = in_call(100, 200);
  waiting.extend(WaitPattern::kLateSender, 130);
  waiting.extend(WaitPattern::kLateSender, 120);
  waiting.extend(WaitPattern::kWaitAtBarrier, 500);
  sums.add(waiting);
  REQUIRE(sums.waits().size() == 2);
  CHECK(sums.waits()[0].pattern == WaitPattern::kLateSender);
  CHECK(sums.waits()[0].ticks == 30);
  CHECK(sums.waits()[1].pattern == WaitPattern::kWaitAtBarrier);
  CHECK(sums.waits()[1].ticks == 70);
  CHECK(sums.waits()[0].energy.spent_nj == 300);
  sums.add(waiting);
  CHECK(sums.waits()[0].count == 2);
  CHECK(sums.waits()[0].longest == 30);
  sums.add(in_call(300, 400));  // it waited for nothing
  CHECK(sums.waits().size() == 2);
}

TEST_CASE("the timeline's bins share an interval, and the last one takes what is behind") {
  const WaitCost cost(one_state(), 1e9);
  LocationSums sums(cost, nullptr);
  sums.add_mpi(0, 1000);  // without an axis there is no timeline
  CHECK(sums.timeline().empty());
  sums.set_axis({100, 10, 3});
  sums.add_mpi(95, 125);
  sums.add_openmp(128, 150);
  REQUIRE(sums.timeline().size() == 3);
  CHECK(sums.timeline()[0].mpi == 10);
  CHECK(sums.timeline()[1].mpi == 10);
  CHECK(sums.timeline()[2].mpi == 5);
  CHECK(sums.timeline()[2].openmp == 22);
}

TEST_CASE("a clock that was set forward returns to the trace's bit by bit, and never falls") {
  CorrectedClock clock;
  CHECK(clock.at(1000) == 1000);
  clock.set_forward(1000, 900);  // it is later already
  CHECK(clock.at(1000) == 1000);
  clock.set_forward(1000, 1010);
  CHECK(clock.at(1000) == 1010);
  std::uint64_t before = 0;
  for (std::uint64_t raw = 1000; raw < 4000; ++raw) {
    REQUIRE(clock.at(raw) >= before);
    REQUIRE(clock.at(raw) >= raw);
    before = clock.at(raw);
  }
  CHECK(clock.at(4000) == 4000);
}

}  // namespace
}  // namespace huddle::waitstates
