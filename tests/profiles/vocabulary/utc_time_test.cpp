#include "profiles/vocabulary/utc_time.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a moment is read as it was written") {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1795308349123},
                                   std::int64_t{951782400000}, std::int64_t{253402300799999}}) {
    const UtcTime time{milliseconds(value)};
    CAPTURE(text_of(time));
    CHECK(parse_utc(text_of(time)) == time);
  }
  CHECK(text_of(UtcTime{milliseconds(1795308349023)}) == "2026-11-22T00:45:49.023Z");
}

TEST_CASE("a day is its first moment, and the fraction may be left out") {
  CHECK(text_of(*parse_utc("2026-11-22")) == "2026-11-22T00:00:00.000Z");
  CHECK(text_of(*parse_utc("2024-02-29T23:59:59Z")) == "2024-02-29T23:59:59.000Z");
}

TEST_CASE("what is no moment of UTC is refused") {
  for (const char* text :
       {"", "2026", "2026-11", "2026-13-01", "2026-02-29", "2026-11-31", "1969-12-31", "26-11-22",
        "2026-11-22T", "2026-11-22T00:00:00", "2026-11-22T24:00:00Z", "2026-11-22T00:60:00Z",
        "2026-11-22T00:00:00+01:00", "2026-11-22T00:00:00.5Z", "2026-11-22T00:00:00.500Zx",
        "2026-11-22 00:00:00Z", "-026-11-22", "2026-+1-22", "2026-1 -22"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_utc(text));
  }
}

}  // namespace
}  // namespace huddle
