#include "profiles/vocabulary/frequency.hpp"

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

TEST_CASE("a range of frequencies is written with one unit or two, or as one frequency") {
  const FrequencyRange range{{1.2e9}, {2.4e9}};
  for (const char* text : {"1.2GHz-2.4GHz", "1.2-2.4GHz", "1200MHz-2.4GHz", "1200000-2400000kHz",
                           "1200000000-2400000000", "1.2 ghz - 2.4 GHZ"}) {
    CAPTURE(text);
    CHECK(parse_frequency_range(text) == range);
  }
  CHECK(parse_frequency_range("2GHz") == FrequencyRange{{2e9}, {2e9}});
}

TEST_CASE("what is no range of frequencies that cores have is none") {
  for (const char* text :
       {"", "-", "2.4GHz-1.2GHz", "1.2GHz-", "-2.4GHz", "1.2-2.4", "2", "0.1kHz-2GHz",
        "1GHz-200GHz", "1GHz-2GHz-3GHz", "fast", "nan-inf", "1e400GHz", "1GHz,2GHz"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_frequency_range(text).has_value());
  }
}

TEST_CASE("a range is written for people in GHz and for nodes in whole kHz") {
  CHECK(text_of(FrequencyRange{{1.2e9}, {2.4e9}}) == "1.2 GHz to 2.4 GHz");
  CHECK(text_of(FrequencyRange{{2e9}, {2e9}}) == "2 GHz");
  CHECK(kilohertz_text_of({{1.2e9}, {2.4e9}}) == "1200000-2400000");
}

TEST_CASE("what two ranges share is empty if they share nothing") {
  CHECK(common_part({{1e9}, {3e9}}, {{2e9}, {4e9}}) == FrequencyRange{{2e9}, {3e9}});
  CHECK(common_part({{1e9}, {2e9}}, {{2e9}, {4e9}}) == FrequencyRange{{2e9}, {2e9}});
  CHECK(common_part({{1e9}, {2e9}}, {{3e9}, {4e9}}).empty());
}

TEST_CASE("a range holds its bounds, and what differs from them by less than people type") {
  const FrequencyRange range{{1.2e9}, {2.4e9}};
  for (const double inside : {1.2e9, 1.2e9 - 1, 1.8e9, 2.4e9, 2.4e9 + 1})
    CHECK(range.holds(Hertz{inside}));
  for (const double outside : {1.19e9, 2.41e9}) CHECK_FALSE(range.holds(Hertz{outside}));
  CHECK(FrequencyRange{}.holds(Hertz{5e9}));
}

TEST_CASE("a wish about frequencies is keep, auto or a range, and is read back as written") {
  CHECK(parse_frequency_wish("keep") == FrequencyWish{});
  CHECK(parse_frequency_wish("auto")->kind == FrequencyWish::Kind::kAuto);
  const auto range = parse_frequency_wish("1.2-2.4GHz");
  REQUIRE(range.has_value());
  CHECK(text_of(*range) == "1200000-2400000kHz");
  CHECK(parse_frequency_wish(text_of(*range)) == range);
  for (const char* text : {"", "Keep", "auto ", "low", "2.4-1.2GHz"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_frequency_wish(text).has_value());
  }
}

}  // namespace
}  // namespace huddle
