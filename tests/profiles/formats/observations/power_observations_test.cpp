#include "profiles/formats/observations/power_observations.hpp"

#include <doctest/doctest.h>

#include <chrono>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

const UtcTime kNow = *parse_utc("2026-11-27T10:00:00Z");

PowerObservations some_observations() {
  PowerObservations observations;
  observations.node = "n0";
  observations.whole = {2, 4, 8, 0};
  observations.sensors = {"package-0", "package-1"};
  observations.add({{0, 0, 0, 0}, 1}, {Seconds{10}, Joules{160}}, kNow);
  observations.add({{1, 2, 4, 2400}, 3}, {Seconds{2}, Joules{72}}, kNow + std::chrono::hours(1));
  return observations;
}

TEST_CASE("observations of an occupation and group add up, and survive their text") {
  PowerObservations observations = some_observations();
  observations.add({{0, 0, 0, 0}, 1}, {Seconds{10}, Joules{170}}, kNow + std::chrono::hours(2));
  CHECK(observations.sums.size() == 2);
  CHECK(observations.sums.begin()->second.mean() == Watts{16.5});
  CHECK(observations.begin == kNow);
  CHECK(observations.end == kNow + std::chrono::hours(2));
  CHECK(parse_power_observations(to_json(observations), "text") == observations);
}

TEST_CASE("observations stay as many as they may be, and known ones are still added to") {
  PowerObservations observations;
  observations.whole = {1, 1, 5000, 0};
  for (std::uint32_t cores = 1; cores <= 5000; ++cores)
    observations.add({{1, 1, cores, 2400}, 0}, {Seconds{1}, Joules{1}}, kNow);
  CHECK(observations.sums.size() == PowerObservations::kMost);
  observations.add({{1, 1, 1, 2400}, 0}, {Seconds{1}, Joules{1}}, kNow);
  CHECK(observations.sums.begin()->second.time == Seconds{2});
}

TEST_CASE("observations that can't be are refused, with their place") {
  const auto refused = [](std::string text, const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
    CAPTURE(text);
    CHECK_THROWS_AS(parse_power_observations(text, "text"), FormatError);
  };
  const std::string text = to_json(some_observations());
  refused(text, R"("cores":4)", R"("cores":9)");
  refused(text, R"("cores":4)", R"("cores":1)");
  refused(text, R"("packages":1,"dies":2)", R"("packages":0,"dies":0)");
  refused(text, R"("group":3)", R"("group":8)");
  refused(text, R"("time_s":2.0)", R"("time_s":0.0)");
  refused(text, R"("energy_j":72.0)", R"("energy_j":-1.0)");
  refused(text, R"("energy_j":72.0)", R"("energy_j":1e16)");
  refused(text, "2026-11-27", "2026-13-27");
  refused(text, R"("packages":1,"dies":2,"cores":4,"mhz":2400,"group":3)",
          R"("packages":0,"dies":0,"cores":0,"mhz":0,"group":1)");
}

}  // namespace
}  // namespace huddle
