#include "aggregator/waitstates/replay/detail/team_delays.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace huddle {
namespace {

struct DelaySink final : ActivitySink {
  void add(std::uint32_t, const Activity&) override {}
  void add(std::uint32_t, const Dependency&) override {}
  void add_path(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, bool) override {}
  void add_delay(std::uint32_t, const ThreadDelay& delay) override { delays.push_back(delay); }

  std::vector<ThreadDelay> delays;
};

ThreadInterval came_at(std::uint64_t time) {
  ThreadInterval interval;
  interval.came = time;
  interval.pieces = {{3, kNoActivity, static_cast<std::int64_t>(time)}};
  interval.regions = {3};
  return interval;
}

}  // namespace

TEST_CASE("a meeting that one of the team gave up and left names nobody") {
  DelaySink sink;
  TeamDelays delays(sink);
  delays.arrive(0, 0, 3, {0, 0, kNoActivity, 1}, came_at(500));
  delays.leave(0, 0);
  delays.arrive(0, 0, 3, {0, 1, kNoActivity, 1}, came_at(100));
  CHECK(delays.waited(0, 0, {0, 1, kNoActivity, 1}, 400, false).empty());
  delays.arrive(0, 0, 3, {0, 2, kNoActivity, 1}, came_at(200));
  // The one that left is known, too, so now all are.
  CHECK(delays.waited(0, 0, {0, 2, kNoActivity, 1}, 300, true).at(0).location == 0);
  delays.close();
  REQUIRE(sink.delays.size() == 1);
  CHECK(sink.delays[0].late == 0);
  CHECK(sink.delays[0].ticks == 300);
}

TEST_CASE("sums do not depend on which thread is followed first") {
  std::vector<double> sums;
  for (const bool turned : {false, true}) {
    DelaySink sink;
    TeamDelays delays(sink);
    for (std::uint64_t barrier = 0; barrier < 1000; ++barrier)
      for (std::uint32_t thread = 0; thread < 3; ++thread)
        delays.arrive(0, barrier, 3, {0, thread, kNoActivity, 1}, came_at(100 + 7 * thread));
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t barrier = turned ? 999 - i : i;
      for (const std::uint32_t thread : {0U, 1U})
        delays.waited(0, barrier, {0, turned ? 1 - thread : thread, kNoActivity, 1},
                      1 + barrier * 1'000'003 % 7919, false);
    }
    delays.close();
    REQUIRE(sink.delays.size() == 1);
    sums.push_back(sink.delays[0].ticks);
  }
  CHECK(sums[0] == sums[1]);
}

}  // namespace huddle
