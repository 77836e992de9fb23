#include "profiles/formats/profile/event_counts.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace huddle {

TEST_CASE("an event's bare name is without the kind of cores, and one of terms stays as it is") {
  CHECK(bare_event_name("cycles") == "cycles");
  CHECK(bare_event_name("cpu_core/cycles") == "cycles");
  CHECK(bare_event_name("cpu/event=0x3c,umask=1/") == "cpu/event=0x3c,umask=1/");
  CHECK(bare_event_name("cpu/cycles/") == "cpu/cycles/");
  CHECK(bare_event_name("odd/") == "odd/");
  CHECK(bare_event_name("").empty());
}

TEST_CASE("an event is counted on all kinds of cores together, where it was on a counter") {
  const std::vector<std::string> events = {"cpu_core/cycles", "cpu_atom/cycles", "instructions",
                                           "cache-misses"};
  CHECK(count_of(events, {3, 4, 5, std::nan("")}, "cycles") == 7);
  CHECK(count_of(events, {3, std::nan(""), 5, 0}, "cycles") == 3);
  CHECK(count_of(events, {3, 4, 5, 0}, "cache-misses") == 0);
  CHECK_FALSE(count_of(events, {3, 4, 5, std::nan("")}, "cache-misses"));
  CHECK_FALSE(count_of(events, {3, 4}, "instructions"));
  CHECK_FALSE(count_of(events, {}, "cycles"));
  CHECK_FALSE(count_of(events, {3, 4, 5, 6}, "task-clock"));
}

TEST_CASE("events are compared on kinds of cores on which both were counted") {
  const std::vector<std::string> events = {"cpu_core/cycles", "cpu_atom/cycles",
                                           "cpu_core/instructions", "cpu_atom/instructions"};
  using Both = std::pair<double, double>;
  CHECK(counts_of_both(events, {3, 4, 5, 6}, "instructions", "cycles") == Both{11, 7});
  CHECK(counts_of_both(events, {3, std::nan(""), 5, 6}, "instructions", "cycles") == Both{5, 3});
  CHECK_FALSE(counts_of_both(events, {3, std::nan(""), std::nan(""), 6}, "instructions", "cycles"));
  CHECK_FALSE(counts_of_both({"cycles"}, {3}, "instructions", "cycles"));
}

}  // namespace huddle
