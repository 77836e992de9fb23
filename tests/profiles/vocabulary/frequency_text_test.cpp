#include "profiles/vocabulary/frequency_text.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

TEST_CASE("frequencies are read with and without a unit") {
  CHECK(parse_frequency("2.4GHz") == Hertz{2.4e9});
  CHECK(parse_frequency(" 800 mhz") == Hertz{800e6});
  CHECK(parse_frequency("800000kHz") == Hertz{800e6});
  CHECK(parse_frequency("2.4e9") == Hertz{2.4e9});
  CHECK(parse_frequency("2000000000 Hz") == Hertz{2e9});
}

TEST_CASE("what is no frequency is not read") {
  for (const char* text :
       {"", "GHz", "fast", "2.4 W", "0GHz", "-1GHz", "inf", "nan", "1e308GHz", "2.4GHz-3GHz"})
    CHECK_FALSE(parse_frequency(text));
}

TEST_CASE("a frequency is written in GHz, short") {
  CHECK(text_of(Hertz{2.4e9}) == "2.4 GHz");
  CHECK(text_of(Hertz{800e6}) == "0.8 GHz");
  CHECK(text_of(Hertz{2794743211}) == "2.795 GHz");
}

}  // namespace
}  // namespace huddle
