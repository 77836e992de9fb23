#include "aggregator/teams/group_clocks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/team_study.hpp"

namespace huddle::teams {
namespace {

const std::filesystem::path kFixtureFiles = HUDDLE_FIXTURES;

Machine machine_of_eight() {
  return load_machine(kFixtureFiles / "machines/package2-die2-core2-frequencies.json");
}

/// Two ranks, of which the second computes for that share of the first's time in group 2 and waits
/// for the rest.
Profile two_ranks(double share) {
  Profile profile = load_profile(kFixtureFiles / "profiles/two-hybrid-ranks.json");
  RankRecord& second = profile.rank_records[1];
  for (OpenMpRegionRecord& region : second.openmp_regions)
    if (region.group == 2) region.mean = region.mean * share;
  for (PhaseRecord& phase : second.phases) {
    if (phase.group != 2) continue;
    const Seconds before = phase.mean;
    phase.mean = before * share;
    phase.delimiter_time += (before - phase.mean) * static_cast<double>(phase.count);
  }
  return profile;
}

/// As it ran, but for clocks.
GroupClocks clocks_of(const Profile& profile, const Machine& machine) {
  const hybrid::TeamProgram teams = teams_of_profile(profile, machine);
  hybrid::TeamPlan as_it_ran = hybrid::choose_teams(teams, {.least_gain = 1e9});
  return choose_group_clocks(teams, as_it_ran, {});
}

}  // namespace

TEST_CASE("a rank that waits in a group gets the clock there that its waiting allows") {
  const GroupClocks clocks = clocks_of(two_ranks(0.5), machine_of_eight());
  REQUIRE(clocks.rows.size() == 1);
  const hybrid::TeamRow& row = clocks.rows[0];
  CHECK(row.rank == 1);
  CHECK(row.group == 2);
  CHECK(row.before.clock.value == 2e9);
  CHECK(row.after.clock.value < 2e9);
  // No pass becomes longer than that of the rank that it waits for.
  CHECK(row.pass_most.value ==
        doctest::Approx(row.pass_before.value * (row.before.clock / row.after.clock)));
  CHECK(row.pass_most.value < 0.0615);
  CHECK(clocks.saved.value > 0);
}

TEST_CASE("less waiting allows less, and none nothing") {
  // The machine has 1, 1.5 and 2 GHz.
  const GroupClocks much = clocks_of(two_ranks(0.4), machine_of_eight());
  const GroupClocks less = clocks_of(two_ranks(0.6), machine_of_eight());
  REQUIRE(much.rows.size() == 1);
  REQUIRE(less.rows.size() == 1);
  CHECK(much.rows[0].after.clock.value == 1e9);
  CHECK(less.rows[0].after.clock.value == 1.5e9);
  CHECK(clocks_of(two_ranks(0.9), machine_of_eight()).rows.empty());
  CHECK(clocks_of(two_ranks(1), machine_of_eight()).rows.empty());
}

TEST_CASE("waiting that was measured bounds it, whatever the difference of computing is") {
  Profile profile = two_ranks(0.5);
  for (PhaseRecord& phase : profile.rank_records[1].phases)
    if (phase.group == 2) phase.delimiter_time.value = 0;
  CHECK(clocks_of(profile, machine_of_eight()).rows.empty());
}

TEST_CASE("what packing spends of the waiting, clocks don't") {
  const hybrid::TeamProgram teams = teams_of_profile(two_ranks(0.5), machine_of_eight());
  const TeamStudy study = study_teams(teams, {}, true);
  CHECK(study.plan.changes);
  for (const hybrid::TeamRow& row : study.clocks.rows) CHECK(row.pass_most.value < 0.0615 * 1.05);
  CHECK((study.plan.after.time_at_most + study.clocks.longer_at_most).value <
        study.plan.before.time.value * 1.05);
}

TEST_CASE("a rank of one core keeps its clock, since its team can't be acted on") {
  Profile profile = two_ranks(0.5);
  profile.rank_records[1].pus = PuSet::parse("4");
  CHECK(clocks_of(profile, machine_of_eight()).rows.empty());
}

TEST_CASE("ranks that share a package's clock keep it") {
  Machine machine = machine_of_eight();
  machine.frequencies->domain = ClockDomain::kPackage;
  Profile profile = two_ranks(0.5);
  CHECK_FALSE(clocks_of(profile, machine).rows.empty());  // each has a package of its own
  profile.rank_records[0].pus = PuSet::parse("0-1,4-5");
  profile.rank_records[1].pus = PuSet::parse("2-3,6-7");
  CHECK(clocks_of(profile, machine).rows.empty());
}

TEST_CASE("without power at other clocks nothing is chosen, and the reason says so") {
  Machine machine = machine_of_eight();
  machine.frequencies.reset();
  const GroupClocks clocks = clocks_of(two_ranks(0.5), machine);
  CHECK(clocks.rows.empty());
  CHECK(clocks.reason.find("knows no power at lower clocks") != std::string::npos);
}

TEST_CASE("ranks with the same clocks share an entry of what is handed to them") {
  const hybrid::TeamProgram teams = teams_of_profile(two_ranks(0.5), machine_of_eight());
  const TeamStudy study = study_teams(teams, {}, true);
  for (const hybrid::TeamRow& row : study.clocks.rows) {
    const auto clocks = throttling::clocks_for(study.chosen, Rank{row.rank});
    CHECK(std::ranges::any_of(clocks, [&](const throttling::GroupClock& one) {
      return one.group == row.group && one.khz == row.after.clock.value / 1e3;
    }));
  }
}

}  // namespace huddle::teams
