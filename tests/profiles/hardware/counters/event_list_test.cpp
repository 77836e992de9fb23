#include "profiles/hardware/counters/event_names.hpp"

#include <doctest/doctest.h>

#include "profiles/hardware/counters/reading.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::counters {
namespace {

using Names = std::vector<std::string>;

std::string complaint(std::string_view text) {
  return error_of([&] { parse_event_list(text, "HUDDLE_EVENTS"); });
}

TEST_CASE("a list is its names in their order") {
  CHECK(parse_event_list("instructions,cycles", "x") == Names{"instructions", "cycles"});
  CHECK(parse_event_list(" LLC-loads , r01c2 ", "x") == Names{"LLC-loads", "r01c2"});
  CHECK(parse_event_list("", "x").empty());
  CHECK(parse_event_list("  ", "x").empty());
}

TEST_CASE("commas between slashes belong to the name") {
  CHECK(parse_event_list("cpu/event=0x3c,umask=1/,cycles", "x") ==
        Names{"cpu/event=0x3c,umask=1/", "cycles"});
}

TEST_CASE("the default list can be read as a list, and begins with the four of one group") {
  std::string text;
  for (const std::string& name : default_events()) text += (text.empty() ? "" : ",") + name;
  CHECK(parse_event_list(text, "x") == default_events());
  const Names events = default_events();
  CHECK(Names(events.begin(), events.begin() + 4) ==
        Names{"instructions", "cycles", "cache-references", "cache-misses"});
}

TEST_CASE("an error in a list names its place") {
  CHECK(complaint("cycles,,branches") ==
        "HUDDLE_EVENTS: event 2: found no name, expected the name of an event");
  CHECK(complaint("cycles,") ==
        "HUDDLE_EVENTS: event 2: found no name, expected the name of an event");
  CHECK(complaint(",") == "HUDDLE_EVENTS: event 1: found no name, expected the name of an event");
  CHECK(
      complaint("cycles,cpu/event=1,umask=2") ==
      "HUDDLE_EVENTS: event 2: found \"cpu/event=1,umask=2\", expected a name such as pmu/event/");
  CHECK(complaint("cycles,branches,cycles") ==
        "HUDDLE_EVENTS: event 3: found \"cycles\" again, expected each event once");
  CHECK(complaint("two words") ==
        "HUDDLE_EVENTS: event 1: found \"two words\", expected a name of letters, digits and "
        "-_./,=:+@");
  CHECK(complaint("a\nb").find("\"a?b\"") != std::string::npos);
}

TEST_CASE("a list may be as long as a reading, and no longer") {
  std::string text = "r0";
  for (std::size_t i = 1; i < kMostEvents; ++i) text += ",r" + std::to_string(i);
  CHECK(parse_event_list(text, "x").size() == kMostEvents);
  CHECK(complaint(text + ",r99") ==
        "HUDDLE_EVENTS: event 25: found one more, expected at most 24 events");
}

}  // namespace
}  // namespace huddle::counters
