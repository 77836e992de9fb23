#include "spank_plugin/runtime/packing/chosen_teams.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

namespace huddle::runtime {
namespace {

constexpr std::uint64_t kFast = 1000;
constexpr std::uint64_t kUsual = 1010;  // a delimiter's own time is in it
constexpr std::uint64_t kSlow = 1200;

/// A program whose groups of phases 1 and 2 follow each other; each has the region 7, group 2 the
/// region 8 as well.
struct ChosenProgram {
  ChosenTeams teams;
  std::uint64_t now = 1;
  /// Cores that region 7 had in the last pass of group 1 and of group 2.
  std::uint32_t in_1 = 0;
  std::uint32_t in_2 = 0;

  std::uint32_t region(std::uint64_t id, std::uint64_t ticks) {
    const throttling::RegionCores* const choice = teams.begins(id, 8);
    const std::uint32_t cores = choice == nullptr ? 0 : choice->cores;
    teams.ended(id, 8, cores, 1, ticks);
    return cores;
  }
  void pass(std::uint64_t took) {
    in_1 = region(7, 500);
    now += took;
    teams.group_ends(1, now);
    in_2 = region(7, 500);
    region(8, 200);
    now += kUsual;
    teams.group_ends(2, now);
  }
};

}  // namespace

TEST_CASE("a group of phases has its clock from its seventh pass on, and others have none") {
  ChosenProgram program{ChosenTeams({}, 0.05)};
  program.teams.set_clocks({{2, 1500000}});
  for (int pass = 0; pass < 20; ++pass) {
    program.now += kFast;
    program.teams.group_ends(1, program.now);
    const std::uint32_t in_2 = program.teams.clock_khz();
    program.now += kUsual;
    program.teams.group_ends(2, program.now);
    CHECK(program.teams.clock_khz() == 0);
    CHECK(in_2 == (pass >= 6 ? 1500000 : 0));
  }
  CHECK(program.teams.text() == "Clocks were asked for as chosen, in 1 groups of phases.");
}

TEST_CASE("a clock is no longer asked for where its group does not come when it is expected") {
  ChosenProgram program{ChosenTeams({}, 0.05)};
  program.teams.set_clocks({{2, 1500000}});
  const auto ends = [&](std::uint64_t group) {
    const std::uint32_t khz = program.teams.clock_khz();
    program.now += kUsual;
    program.teams.group_ends(group, program.now);
    return khz != 0;
  };
  // 1 1 2, again and again: what follows 1 takes turns.
  for (int pass = 0; pass < 60; ++pass) {
    CHECK_FALSE(ends(1));
    CHECK_FALSE(ends(1));
    CHECK_FALSE(ends(2));
  }
  // Then 2 follows 1 for a while, and then 3.
  int slowed = 0;
  for (int pass = 0; pass < 10; ++pass) {
    ends(1);
    if (ends(2)) ++slowed;
  }
  CHECK(slowed > 5);
  CHECK(program.teams.clock_lease() == 4 * kUsual);
  int wrong = 0;
  for (int pass = 0; pass < 100; ++pass) {
    ends(1);
    if (ends(pass % 3 == 0 ? 3 : 2) && pass % 3 == 0) ++wrong;
  }
  CHECK(wrong <= PassGuard::kBadPasses);
}

TEST_CASE("a group that becomes too slow at its clock goes back to the usual one for good") {
  ChosenProgram program{ChosenTeams({}, 0.05)};
  program.teams.set_clocks({{2, 1500000}});
  int slow = 0;
  for (int pass = 0; pass < 40; ++pass) {
    program.now += kFast;
    program.teams.group_ends(1, program.now);
    const bool is_slow = program.teams.clock_khz() != 0;
    if (is_slow) ++slow;
    program.now += is_slow ? kSlow : kUsual;
    program.teams.group_ends(2, program.now);
  }
  CHECK(slow == PassGuard::kBadPasses);
  CHECK(program.teams.text().find("1 of which went back") != std::string::npos);
}

TEST_CASE("regions run on the cores chosen for them once their group was seen often enough") {
  ChosenProgram program{ChosenTeams({{7, 0, 4, 1}, {7, 2, 2, 1}}, 0.05)};
  for (std::size_t i = 0; i <= PassGuard::kMostSamples; ++i) {
    CHECK(program.in_1 == 0);
    CHECK(program.in_2 == 0);
    program.pass(kUsual);
  }
  for (int i = 0; i < 50; ++i) {
    program.pass(kFast);
    CHECK(program.in_1 == 4);
    CHECK(program.in_2 == 2);
  }
  CHECK(program.teams.text() == "Teams of 1 regions ran on fewer cores, in 2 groups of phases.");
  const auto rows = program.teams.rows();
  REQUIRE(rows.size() == 2);
  for (const PackingTrials::Row& row : rows) {
    CHECK(row.function == 7);
    CHECK(row.team == 8);
    CHECK(row.packed.count >= 50);
    CHECK(row.usual.count >= 13);
    CHECK(row.usual.mean == 500);
  }
}

TEST_CASE("a group that becomes slower goes back within three passes, for good, and others stay") {
  ChosenProgram program{ChosenTeams({{7, 0, 4, 1}}, 0.05)};
  for (int i = 0; i < 10; ++i) program.pass(kUsual);
  CHECK(program.in_1 == 4);
  for (int i = 0; i < 3; ++i) program.pass(kSlow);
  for (int i = 0; i < 30; ++i) {
    program.pass(kUsual);
    CHECK(program.in_1 == 0);
    CHECK(program.in_2 == 4);
  }
  CHECK(program.teams.text() ==
        "Teams of 1 regions ran on fewer cores, in 2 groups of phases, 1 of which went back: they "
        "took longer than the first passes.");
}

TEST_CASE("what nothing was chosen for runs as the program was started, and it is said so") {
  ChosenProgram program{ChosenTeams({{99, 0, 4, 1}, {7, 3, 4, 1}}, 0.05)};
  for (int i = 0; i < 50; ++i) {
    program.pass(kUsual);
    CHECK(program.in_1 == 0);
    CHECK(program.in_2 == 0);
  }
  CHECK(program.teams.rows().empty());
  CHECK(program.teams.text().starts_with("Teams ran as the program was started"));
}

TEST_CASE("cores that do not divide a team, or are no fewer, are not given to it") {
  for (const std::uint32_t cores : {3U, 8U, 16U}) {
    ChosenProgram program{ChosenTeams({{7, 0, cores, 1}}, 0.05)};
    for (int i = 0; i < 30; ++i) program.pass(kUsual);
    CHECK(program.in_1 == 0);
  }
}

TEST_CASE("a group that comes out of the usual order sends no other one back") {
  ChosenProgram program{ChosenTeams({{7, 0, 4, 1}}, 0.05)};
  for (int i = 0; i < 10; ++i) program.pass(kUsual);
  // Group 3 in place of group 1, now and then: it is never measured, and nothing goes back.
  for (int i = 0; i < 20; ++i) {
    CHECK(program.region(7, 500) == 4);
    program.now += kSlow;
    program.teams.group_ends(3, program.now);
    // At first nobody knows what follows.
    CHECK(program.region(7, 500) == (i == 0 ? 0 : 4));
    program.now += kUsual;
    program.teams.group_ends(2, program.now);
    program.pass(kUsual);
    program.pass(kUsual);
  }
  CHECK(program.teams.text().find("went back") == std::string::npos);
}

}  // namespace huddle::runtime
