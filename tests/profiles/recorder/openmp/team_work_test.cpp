#include "profiles/recorder/openmp/team_work.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "profiles/recorder/openmp/pending_regions.hpp"

namespace huddle::recorder {
namespace {

TEST_CASE("of a pass is known how long its threads worked, and the busiest of them") {
  const auto work = std::make_unique<TeamWork>();
  work->begin();
  work->worked(0, 300);
  work->worked(1, 100);
  const auto seen = work->seen(2, 310);
  REQUIRE(seen);
  CHECK(seen->mean == 200);
  CHECK(seen->busiest == 300);
}

TEST_CASE("what a thread leaves at the last barrier counts, and no more than the pass took") {
  const auto work = std::make_unique<TeamWork>();
  work->begin();
  work->worked(0, 50);
  work->worked(0, 120);
  work->worked(1, 170);
  const auto seen = work->seen(2, 160);
  REQUIRE(seen);
  CHECK(seen->mean == 140);
  CHECK(seen->busiest == 160);
}

TEST_CASE("a pass is not seen where a thread has left nothing, or something of an earlier pass") {
  const auto work = std::make_unique<TeamWork>();
  work->begin();
  work->worked(0, 300);
  CHECK_FALSE(work->seen(2, 310));
  work->worked(1, 100);
  CHECK(work->seen(2, 310));
  work->begin();
  work->worked(0, 300);
  CHECK_FALSE(work->seen(2, 310));
  CHECK_FALSE(work->seen(0, 310));
}

TEST_CASE("teams that are too large are not seen, and write nowhere else") {
  const auto work = std::make_unique<TeamWork>();
  work->begin();
  for (std::uint32_t thread = 0; thread <= TeamWork::kMostThreads; ++thread)
    work->worked(thread, 10);
  CHECK(work->seen(TeamWork::kMostThreads, 20));
  CHECK_FALSE(work->seen(TeamWork::kMostThreads + 1, 20));
}

TEST_CASE("threads that leave what they did at once are all seen") {
  const auto work = std::make_unique<TeamWork>();
  for (std::uint64_t pass = 1; pass <= 50; ++pass) {
    work->begin();
    std::vector<std::thread> team;
    for (std::uint32_t thread = 0; thread < 4; ++thread)
      team.emplace_back([&work, thread, pass] { work->worked(thread, (thread + 1) * pass); });
    for (std::thread& thread : team) thread.join();
    const auto seen = work->seen(4, 1000);
    REQUIRE(seen);
    CHECK(seen->busiest == 4 * pass);
    CHECK(seen->mean == doctest::Approx(2.5 * static_cast<double>(pass)));
  }
}

TEST_CASE(
    "to look at threads takes one part in 256 of a region's time, and passes have one chance") {
  WorkDraw draw;
  constexpr std::uint64_t kPasses = 1'000'000;
  constexpr std::uint64_t kCost = 500;
  constexpr std::uint64_t kBetween = 10'000;
  std::uint64_t drawn = 0;
  double weights = 0;
  for (std::uint64_t i = 0; i < kPasses; ++i) {
    const bool draws = draw.draws();
    draw.saw(4);
    if (!draws) continue;
    ++drawn;
    weights += draw.weight();
    draw.looked(kCost, kBetween);
  }
  CHECK(drawn * kCost * WorkDraw::kShare <= kPasses * kBetween * 11 / 10);
  CHECK(drawn * kCost * WorkDraw::kShare >= kPasses * kBetween * 7 / 10);
  CHECK(weights == doctest::Approx(kPasses).epsilon(0.05));
}

TEST_CASE("all passes of long regions are looked at, and none of those of one thread") {
  WorkDraw draw;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t weight = draw.weight();
    if (draw.draws()) {
      CHECK(weight <= 2);
      draw.looked(500, 100'000'000);
    }
    draw.saw(2);
  }
  CHECK(draw.weight() == 1);
  CHECK(draw.draws());
  draw.looked(500, 100'000'000);
  draw.saw(1);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(draw.draws());
}

TEST_CASE("work of passes that were counted apart adds up, by how many they stand for") {
  RegionPasses one;
  one.add(400, 2, 1);
  one.add_work({200, 300}, 400, 1);
  RegionPasses other;
  other.add(400, 2, 1);
  other.add_work({400, 400}, 400, 3);
  one.add(other);
  one.add(RegionPasses{});
  CHECK(one.observed == 2);
  CHECK(one.observed_ticks == 1600);
  CHECK(one.busy / 4 == 350);
  CHECK(one.busiest / 4 == 375);
}

}  // namespace
}  // namespace huddle::recorder
