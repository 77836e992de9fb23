#include "aggregator/teams/tried_passes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "aggregator/teams/position_parts.hpp"
#include "aggregator/teams/profile_teams.hpp"

namespace huddle::teams {
namespace {

const std::filesystem::path kTriedFixtures = HUDDLE_FIXTURES;

// Passes that took `ratio` of the usual 10 ms; `scatter`: the usual deviation, as a share of them.
PackedRegionRecord tried_in(std::uint64_t passes, double ratio, double scatter) {
  PackedRegionRecord record;
  record.region = 11;
  record.team = 4;
  record.cores = 1;
  record.passes = passes;
  record.mean.value = 0.01 * ratio;
  record.usual_passes = 100'000;
  record.usual_mean.value = 0.01;
  record.usual_variance_s2 = 1e-4 * scatter * scatter;
  record.variance_s2 = record.usual_variance_s2 * ratio * ratio;
  return record;
}

MeasuredStretch stretch_of(const PackedRegionRecord& record) {
  MeasuredStretch stretch;
  stretch.add(record);
  return stretch;
}

// As in a multigrid program: of the usual passes most of the time is at the finest level, and the
// passes that were tried were at a coarse one.
Profile tried_at_a_coarse_level() {
  Profile profile = load_profile(kTriedFixtures / "profiles/two-hybrid-ranks.json");
  for (RankRecord& rank : profile.rank_records) {
    rank.packed_regions.clear();
    PackedRegionRecord tried = tried_in(2, 0.015, 1.5);
    tried.variance_s2 = 1e-14;
    rank.packed_regions.push_back(tried);
  }
  return profile;
}

}  // namespace

TEST_CASE("passes that were tried at a coarse level are no measurement of those at all levels") {
  const hybrid::TeamProgram teams = teams_of_profile(
      tried_at_a_coarse_level(),
      load_machine(kTriedFixtures / "machines/package2-die2-core2-frequencies.json"));
  CHECK(teams.ranks[0].groups[1].regions[0].id == 11);
  CHECK(teams.ranks[0].groups[1].regions[0].options.size() == 1);
  CHECK(teams.notes == std::vector<std::string>{
                           "1 region took less than half of the usual time on fewer cores, which "
                           "no machine does: the passes that were tried had less to do, and are no "
                           "measurement"});
}

TEST_CASE("a region that ends sooner with fewer threads may be quicker by as much as ends take") {
  PackedRegionRecord tiny = tried_in(50, 0.05, 0.1);
  for (Seconds* time : {&tiny.mean, &tiny.usual_mean}) *time = *time * 0.01;
  CHECK(stretch_of(tiny).is_possible());
  CHECK_FALSE(stretch_of(tried_in(50, 0.05, 0.1)).is_possible());
  CHECK(stretch_of(tried_in(50, 0.6, 0.1)).is_possible());
}

TEST_CASE("two passes that happen to be alike don't show how much passes differ") {
  PackedRegionRecord two = tried_in(2, 1.2, 0.5);
  two.variance_s2 = 0;
  CHECK(stretch_of(two).error() > 0.5);
  CHECK(stretch_of(tried_in(200, 1.2, 0.5)).error() < 0.07);
  CHECK(stretch_of(tried_in(2, 1.2, 0.0)).error() == doctest::Approx(0.01));
  // Several ranks' trials count together.
  MeasuredStretch of_eight;
  for (int rank = 0; rank < 8; ++rank) of_eight.add(two);
  CHECK(of_eight.stretch() == doctest::Approx(1.2));
  CHECK(of_eight.error() < 0.5 * stretch_of(two).error());
}

TEST_CASE("fewer cores are quicker only by more than the passes' spread") {
  const MeasuredStretch few = stretch_of(tried_in(4, 0.9, 0.3));
  CHECK(few.stretch() == 1);
  CHECK(few.error() > 0.1);
  const MeasuredStretch many = stretch_of(tried_in(400, 0.9, 0.3));
  CHECK(many.stretch() == doctest::Approx(0.9));
  CHECK(many.stretch() * (1 + many.error()) < 1);
}

TEST_CASE("where a region differs by position, each pass is compared with its position's") {
  RankRecord rank;
  rank.region_positions.length = 2;
  rank.region_positions.as_started = {{11, 501, 1, 2, 4, 50, {0.07}, 1e-8},
                                      {11, 502, 2, 2, 4, 50, {0.001}, 1e-8}};
  // Most passes that were tried were short ones: on average they took less than the usual 35.5 ms.
  rank.region_positions.packed = {{11, 501, 1, 1, 2, {0.14}, 1e-8, 0, {}},
                                  {11, 502, 1, 1, 14, {0.002}, 1e-8, 0, {}}};
  PackedRegionRecord mixed = tried_in(16, 1.925, 1);
  mixed.usual_mean.value = 0.0355;
  rank.packed_regions = {mixed};
  const std::vector<PackedRegionRecord> compared = packed_at_all_positions(rank);
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].passes == 16);
  CHECK(stretch_of(compared[0]).stretch() == doctest::Approx(2));
  CHECK(stretch_of(compared[0]).error() < 0.05);
  // The long ones alone say enough, the short ones alone say nothing.
  auto& packed = rank.region_positions.packed;
  const auto both = packed;
  packed = {both[0]};
  CHECK(packed_at_all_positions(rank).size() == 1);
  packed = {both[1]};
  CHECK(packed_at_all_positions(rank).empty());
  // A region that is alike at its positions needs none.
  rank.region_positions.as_started[1].mean.value = 0.07;
  CHECK(packed_at_all_positions(rank) == rank.packed_regions);
}

}  // namespace huddle::teams
