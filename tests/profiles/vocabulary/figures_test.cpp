#include "profiles/vocabulary/figures.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace huddle {
namespace {

TEST_CASE("a change has its sign, and what rounds to zero is not below it") {
  CHECK(percent_text(0.0214) == "+2.1");
  CHECK(percent_text(-0.0494) == "-4.9");
  CHECK(percent_text(0) == "+0.0");
  CHECK(percent_text(-0.0) == "+0.0");
  CHECK(percent_text(-0.0004) == "+0.0");
  CHECK(percent_text(-0.0006) == "-0.1");
  CHECK(percent_text(-0.004, 0) == "+0");
  CHECK(percent_text(-0.714, 0) == "-71");
  CHECK(percent_text(-0.00004, 2) == "+0.00");
  CHECK(percent_text(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("an interval whose ends are more than ten times apart is words") {
  CHECK(interval_text(9.2, 11.5) == "9.2 to 11.5");
  CHECK(interval_text(1, 10) == "1 to 10");
  CHECK(interval_text(1, 10.01) == "no useful interval");
  CHECK(interval_text(0.87, 2.2e14) == "no useful interval");
  CHECK(interval_text(0, 3) == "no useful interval");
  CHECK(interval_text(1, std::numeric_limits<double>::infinity()) == "no useful interval");
  CHECK(interval_text(std::nan(""), 1) == "no useful interval");
}

TEST_CASE("a change has an interval of changes, in the same words") {
  CHECK(change_interval_text(9.95, 10.21, 10) == "-0.5 to +2.1");
  CHECK(change_interval_text(9.9999, 10, 10) == "+0.0 to +0.0");
  CHECK(change_interval_text(0.87, 2.2e14, 10) == "no useful interval");
}

}  // namespace
}  // namespace huddle
