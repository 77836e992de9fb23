// When ranks are moved, and for how long; the schedule is in rank_moves.hpp.

#include <doctest/doctest.h>

#include "profiles/recorder/moves/rank_moves.hpp"
#include "tests/profiles/recorder/moves/durations.hpp"

namespace huddle::recorder {
namespace {

// The lengths of all bursts in a run of that length, if every delimiter comes after `step`.
std::uint64_t time_in_bursts(std::uint64_t run, std::uint64_t step, std::uint64_t period) {
  const std::uint64_t burst = MoveSchedule::burst_for(period);
  std::uint64_t sum = 0;
  std::uint64_t looked_at = 0;
  for (std::uint64_t now = step; now < run; now += step) {
    if (MoveSchedule::due(looked_at, now, burst)) {
      sum += burst;
      now += burst;
    }
    looked_at = now;
  }
  return sum;
}

TEST_CASE("bursts hold three passes, and are powers of two of the shortest") {
  CHECK(MoveSchedule::burst_for(kMillisecond) == 50 * kMillisecond);
  CHECK(MoveSchedule::burst_for(17 * kMillisecond) == 100 * kMillisecond);
  CHECK(MoveSchedule::burst_for(kSecond) == 3200 * kMillisecond);
}

TEST_CASE("bursts take a 64th of a long run, and none of a short one") {
  CHECK(time_in_bursts(3 * kSecond, kMillisecond, kMillisecond) == 0);
  CHECK(time_in_bursts(199 * kSecond, kSecond, kSecond) == 0);
  for (const std::uint64_t period : {kMillisecond, 100 * kMillisecond}) {
    const std::uint64_t run = 1000 * kSecond;
    const std::uint64_t sum = time_in_bursts(run, period, period);
    CHECK(sum <= run / 64);
    CHECK(sum >= run / 64 * 9 / 10);
  }
}

TEST_CASE("long bursts begin where short ones do, so that nodes move together") {
  for (std::uint64_t begin = kSecond; begin < 100 * kSecond; begin += 100 * kMillisecond)
    if (MoveSchedule::due(begin - 1, begin, 400 * kMillisecond))
      CHECK(MoveSchedule::due(begin - 1, begin, 50 * kMillisecond));
}

TEST_CASE("a delimiter that comes late still sees that a burst was due") {
  const std::uint64_t period = MoveSchedule::kEvery * MoveSchedule::kShortestBurst;
  CHECK(MoveSchedule::due(period - 1, period + 2 * kSecond, MoveSchedule::kShortestBurst));
  CHECK_FALSE(MoveSchedule::due(period, 2 * period - 1, MoveSchedule::kShortestBurst));
  CHECK(MoveSchedule::next_after(0) == period);
  CHECK(MoveSchedule::next_after(period) == 2 * period);
}

TEST_CASE("what was lost counts: beyond a 50th of the time so far nothing more is affordable") {
  CHECK(MoveSchedule::affordable(100 * kSecond, kSecond, kSecond));
  CHECK_FALSE(MoveSchedule::affordable(100 * kSecond, 2 * kSecond, kMillisecond));
  CHECK(MoveSchedule::affordable(200 * kSecond, 2 * kSecond, kMillisecond));
}

}  // namespace
}  // namespace huddle::recorder
