#include "aggregator/forecast/table/cell_duration.hpp"

#include <doctest/doctest.h>

using namespace huddle;

TEST_CASE("durations of Slurm are seconds, with days and decimals or without") {
  CHECK(duration_in("00:01:05") == 65);
  CHECK(duration_in("01:02:03") == 3723);
  CHECK(duration_in("100:00:00") == 360'000);
  CHECK(duration_in("1-02:03:04") == 93'784);
  CHECK(duration_in("00:00:00.250") == 0.25);
  CHECK(duration_in("2-00:00:00.5") == 172'800.5);
}

TEST_CASE("what may be hours as well as minutes, or a time of day, is no duration") {
  for (const char* cell : {"", "1", "02:03", "0:12.5", "1-02:03", "1-2", "00:61:00", "00:00:75",
                           "00:00:", "00:00:1x", "-00:00:01", "00::01", "00:00:1e1", "a:b:c",
                           "2025-03-05T12:00:00", "00:00:-1", "1--00:00:01", "00:00:.5"})
    CHECK_MESSAGE(!duration_in(cell), cell);
}
