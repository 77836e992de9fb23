#include "spank_plugin/frequency/clock_limits.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle::frequency {
namespace {

TEST_CASE("limits are two numbers of kHz, the lower one first") {
  CHECK(parse_clock_limits("1200000-1800000") == ClockLimits{1200000, 1800000});
  CHECK(parse_clock_limits("5-5") == ClockLimits{5, 5});
  for (const char* text : {"", "-", "1", "1-", "-1", "2-1", "0-1", "1-2-3", " 1-2", "1-2 ", "+1-2",
                           "1-100000001", "1-99999999999999999999", "1.2-1.8", "0x1-0x2"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_clock_limits(text));
  }
}

TEST_CASE("limits are moved into bounds end by end") {
  const ClockLimits bounds{1000, 2000};
  CHECK(moved_into({500, 1500}, bounds) == ClockLimits{1000, 1500});
  CHECK(moved_into({500, 600}, bounds) == ClockLimits{1000, 1000});
  CHECK(moved_into({2500, 3000}, bounds) == ClockLimits{2000, 2000});
}

TEST_CASE("limits are spoken in GHz") {
  CHECK(text_for_people({1200000, 1800000}) == "1.2-1.8 GHz");
  CHECK(text_for_people({2401000, 2401000}) == "2.401 GHz");
}

TEST_CASE("PUs of like limits are written together and read again") {
  const LimitsByPu limits = {{0, {1, 2}}, {1, {1, 2}}, {2, {3, 3}}, {9, {1, 2}}};
  CHECK(text_of(limits) == "0-1,9@1-2;2@3-3");
  CHECK(parse_limits_by_pu(text_of(limits)) == limits);
}

TEST_CASE("text that names no PU, no limits, or a PU twice, is refused") {
  for (const char* text : {"", ";", "0@", "@1-2", "0@1-2;", "0@1-2;0@1-2", "0-1@1-2;1@3-3", "0:1-2",
                           "70000@1-2", "1-0@1-2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_limits_by_pu(text), Error);
  }
}

}  // namespace
}  // namespace huddle::frequency
