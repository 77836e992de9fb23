#include "profiles/recorder/trace/clock_line.hpp"

#include <doctest/doctest.h>

namespace huddle::recorder {
namespace {

RecordedTrace clocks(double per_second, ClockPoint begin, ClockPoint end) {
  RecordedTrace trace;
  trace.ticks_per_second = per_second;
  trace.clock_begin = begin;
  trace.clock_end = end;
  return trace;
}

}  // namespace

TEST_CASE("between two comparisons of clocks, times lie on the line through both") {
  // It says 2 GHz of itself and runs 1 % slower than that.
  const ClockLine line(clocks(2e9, {1000, 5'000'000'000}, {1'980'001'000, 6'000'000'000}));
  CHECK(line.nanoseconds(1000) == 5'000'000'000);
  CHECK(line.nanoseconds(1'980'001'000) == 6'000'000'000);
  CHECK(line.nanoseconds(990'001'000) == 5'500'000'000);
}

TEST_CASE("outside of them, and with one only, the clock's own rate counts") {
  const ClockLine line(clocks(2e9, {2000, 10'000}, {4000, 12'000}));
  CHECK(line.nanoseconds(0) == 9'000);
  CHECK(line.nanoseconds(6000) == 13'000);
  const ClockLine one(clocks(2e9, {2000, 10'000}, {2000, 10'000}));
  CHECK(one.nanoseconds(4000) == 11'000);
  CHECK(one.nanoseconds(0) == 9'000);
  // The second one can't be: time would stand still or go back.
  const ClockLine back(clocks(2e9, {2000, 10'000}, {4000, 9'000}));
  CHECK(back.nanoseconds(4000) == 11'000);
}

TEST_CASE("times never fall where ticks don't, and are at least 0") {
  const ClockLine line(clocks(3e9, {3'000'000'000, 500}, {3'000'000'600, 900}));
  std::uint64_t before = 0;
  for (std::uint64_t tick = 2'999'990'000; tick < 3'000'010'000; ++tick) {
    const std::uint64_t now = line.nanoseconds(tick);
    REQUIRE(now >= before);
    before = now;
  }
  CHECK(line.nanoseconds(0) == 0);
  CHECK(line.nanoseconds(~std::uint64_t{0}) > before);
}

}  // namespace huddle::recorder
