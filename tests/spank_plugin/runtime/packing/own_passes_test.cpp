#include "spank_plugin/runtime/packing/own_passes.hpp"

#include <doctest/doctest.h>

#include "spank_plugin/runtime/packing/chosen_teams.hpp"

namespace huddle::runtime {
namespace {

/// A loop of the regions 7 and 8, for both of which half of the team's cores were chosen.
struct LoopOfTwo {
  ChosenTeams teams;
  std::uint64_t now = 1;
  int packed = 0;  // passes of region 7

  void pass(std::uint64_t usual, std::uint64_t on_fewer) {
    teams.comes(7, now);
    const bool fewer = teams.begins(7, 8) != nullptr;
    if (fewer) ++packed;
    now += fewer ? on_fewer : usual;
    teams.ended(7, 8, fewer ? 4 : 0, fewer ? 1 : 0, fewer ? on_fewer : usual);
    teams.comes(8, now);
    const bool second = teams.begins(8, 8) != nullptr;
    now += 100;
    teams.ended(8, 8, second ? 4 : 0, second ? 1 : 0, 100);
  }
  void passes(int count, std::uint64_t usual, std::uint64_t on_fewer) {
    for (int i = 0; i < count; ++i) pass(usual, on_fewer);
  }
};

constexpr int kUntilPacked =
    OwnPasses::kAlone + OwnPasses::kBlock * static_cast<int>(PassGuard::kMostSamples);

}  // namespace

TEST_CASE("a loop without delimiters is packed once a region's own passes gave a reference") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}, {8, 0, 4, 1}}, 0.05)};
  loop.passes(kUntilPacked, 1000, 1000);
  CHECK(loop.packed == 0);
  CHECK(loop.teams.text().starts_with("Teams ran as the program was started"));
  loop.passes(1000, 1000, 1000);
  CHECK(loop.packed == 1000);
  CHECK(loop.teams.text() ==
        "Teams of 2 regions ran on fewer cores. Where no delimiter of MPI came, passes of 1 "
        "regions took its place.");
  const auto rows = loop.teams.rows();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].packed.count == 1000);
}

TEST_CASE(
    "one that becomes slower than its own reference goes back within three blocks, for good") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}, {8, 0, 4, 1}}, 0.05)};
  loop.passes(kUntilPacked + 5000, 1000, 1100);
  CHECK(loop.packed == 3 * OwnPasses::kBlock);
  CHECK(loop.teams.text().ends_with(
      "passes of 1 regions took its place, 1 of which went back: they took longer than the first "
      "passes."));
}

TEST_CASE("it stays packed within the bound") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}, {8, 0, 4, 1}}, 0.2)};
  loop.passes(kUntilPacked + 5000, 1000, 1100);
  CHECK(loop.packed == 5000);
}

TEST_CASE("regions that come often between two delimiters leave the guard to these") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}}, 0.05)};
  int before = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    before = loop.packed;
    loop.passes(300, 1000, 1000);
    loop.teams.group_ends(1, loop.now);
  }
  CHECK(loop.packed == before + 300);  // a known group packs from its first pass on
  CHECK(loop.teams.text().find("in 1 groups of phases") != std::string::npos);
  CHECK(loop.teams.text().find("took its place") == std::string::npos);
}

TEST_CASE("after the last delimiter a loop goes on by its own passes") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}}, 0.05)};
  loop.passes(10, 1000, 1000);
  loop.teams.group_ends(1, loop.now);
  loop.passes(kUntilPacked + 100, 1000, 1000);
  CHECK(loop.packed == 100);
}

TEST_CASE("a loop that follows another one without delimiters is guarded by its own passes") {
  ChosenTeams teams({{7, 0, 4, 1}, {8, 0, 4, 1}}, 0.05);
  std::uint64_t now = 1;
  const auto packed_of = [&](std::uint64_t region, int count) {
    int packed = 0;
    for (int i = 0; i < count; ++i) {
      teams.comes(region, now);
      const bool fewer = teams.begins(region, 8) != nullptr;
      packed += fewer ? 1 : 0;
      now += fewer && region == 8 ? 1100 : 1000;
    }
    return packed;
  };
  CHECK(packed_of(7, kUntilPacked + 100) == 100);
  // Until it is known that the first loop is over, and then until it is known to be slower so.
  const int most = OwnPasses::kAlone + 3 * OwnPasses::kBlock;
  CHECK(packed_of(8, 10'000) <= most);
  CHECK(packed_of(7, 10'000) >= 9'000);
}

TEST_CASE("a known group that does not end any more is guarded by a region's own passes") {
  LoopOfTwo loop{ChosenTeams({{7, 0, 4, 1}}, 0.05)};
  for (std::size_t i = 0; i < 20; ++i) {
    loop.passes(10, 1000, 1000);
    loop.teams.group_ends(1, loop.now);
  }
  const int before = loop.packed;
  CHECK(before > 0);
  loop.passes(10'000, 1000, 1100);
  CHECK(loop.packed - before <=
        static_cast<int>(OwnPasses::kAlone) + 3 * static_cast<int>(OwnPasses::kBlock));
  CHECK(loop.teams.text().find("1 of which went back") != std::string::npos);
}

TEST_CASE("regions that nothing was chosen for are no delimiters") {
  LoopOfTwo loop{ChosenTeams({{9, 0, 4, 1}}, 0.05)};
  loop.passes(3 * kUntilPacked, 1000, 1000);
  CHECK(loop.packed == 0);
}

}  // namespace huddle::runtime
