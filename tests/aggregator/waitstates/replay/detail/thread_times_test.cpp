#include "aggregator/waitstates/replay/detail/thread_times.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

// A lock that was waited for, and had by two call paths in turns.
void hold(ThreadTimes& times, std::uint64_t number, int turns) {
  times.acquired({1, number, number, number, 7, kNoActivity}, true);
  for (int turn = 0; turn < turns; ++turn)
    times.spend(static_cast<std::uint32_t>(turn % 2), kNoActivity, 10);
  times.released(1, number, number + 1);
}

std::size_t size_of(const ThreadInterval& interval) {
  std::size_t size = interval.quests.size() + interval.holds.size();
  for (const LockHold& held : interval.holds) size += held.pieces.size();
  return size;
}

// Two, of region 0 and 1.
CallPathTree paths() {
  CallPathTree tree;
  tree.below(CallPath::kRoot, 0);
  tree.below(CallPath::kRoot, 1);
  return tree;
}

ThreadInterval arrives(ThreadTimes& times) {
  return times.arrive(1'000'000, CallPath::kRoot, paths());
}

}  // namespace

TEST_CASE("what a thread keeps of its locks has a bound, and the newest are kept") {
  ThreadTimes times;
  times.begin_team(0, CallPath::kRoot);
  for (std::uint64_t number = 0; number < 300'000; ++number) hold(times, number, 0);
  const ThreadInterval over = arrives(times);
  CHECK(size_of(over) < 100'000);
  REQUIRE_FALSE(over.holds.empty());
  CHECK(over.holds.back().number == 299'999);
}

TEST_CASE("of a lock that is held through many turns nothing is kept") {
  ThreadTimes times;
  times.begin_team(0, CallPath::kRoot);
  for (const int turns : {4, 100'000, 6}) hold(times, static_cast<std::uint64_t>(turns), turns);
  const ThreadInterval over = arrives(times);
  REQUIRE(over.holds.size() == 2);
  CHECK(over.holds[0].pieces.size() == 4);
  CHECK(over.holds[1].pieces.size() == 6);
  CHECK(over.quests.size() == 3);
}

TEST_CASE("locks that are never released are forgotten") {
  ThreadTimes times;
  times.begin_team(0, CallPath::kRoot);
  for (std::uint64_t number = 0; number < 100'000; ++number) {
    times.acquired({1, number, number, number, 7, kNoActivity}, false);
    times.spend(CallPath::kRoot, kNoActivity, 1);
  }
  times.released(1, 0, 5);
  CHECK(arrives(times).holds.empty());
}

}  // namespace huddle
