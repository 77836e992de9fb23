#include "profiles/traces/read/detail/location_lookup.hpp"

#include <doctest/doctest.h>

namespace huddle::otf2 {

TEST_CASE("without offsets, times count from the begin") {
  ClockCorrection clock(100);
  CHECK(clock.since_begin(100) == 0);
  CHECK(clock.since_begin(250) == 150);
  CHECK(clock.before_begin() == 0);
  CHECK(clock.since_begin(99) == 0);
  CHECK(clock.before_begin() == 1);
}

TEST_CASE("one offset holds for all times") {
  ClockCorrection clock(0, {{50, -20}});
  CHECK(clock.since_begin(30) == 10);
  CHECK(clock.since_begin(1000) == 980);
  CHECK(clock.since_begin(10) == 0);
  CHECK(clock.before_begin() == 1);
}

TEST_CASE("between offsets, and beyond them, it is a line; in any order") {
  ClockCorrection clock(0, {{2000, 100}, {1000, 0}, {3000, 100}, {2000, 7}});
  CHECK(clock.since_begin(1000) == 1000);
  CHECK(clock.since_begin(1500) == 1550);
  CHECK(clock.since_begin(2000) == 2100);
  CHECK(clock.since_begin(2500) == 2600);
  CHECK(clock.since_begin(4000) == 4100);
  CHECK(clock.since_begin(1100) == 1110);
  CHECK(clock.since_begin(500) == 450);
}

TEST_CASE("absurd offsets stay within what a count holds") {
  ClockCorrection steep(0, {{0, INT64_MAX}, {1, INT64_MIN}});
  CHECK(steep.since_begin(0) == 4'000'000'000'000'000'000);
  CHECK(steep.since_begin(UINT64_MAX) == UINT64_MAX - 4'000'000'000'000'000'000);
  ClockCorrection late(0, {{0, INT64_MAX}});
  CHECK(late.since_begin(UINT64_MAX) == UINT64_MAX);
}

}  // namespace huddle::otf2
