#include "aggregator/teams/position_parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/team_study.hpp"

namespace huddle::teams {
namespace {

const std::filesystem::path kPositionFixtures = HUDDLE_FIXTURES;

Machine positioned_machine() {
  return load_machine(kPositionFixtures / "machines/package2-die2-core2-frequencies.json");
}

/// Region 11, of which each pass took 40 ms on average in group 2, is large at the first position
/// of a period and tiny at the third; region 12 is between them.
Profile with_positions() {
  Profile profile = load_profile(kPositionFixtures / "profiles/two-hybrid-ranks.json");
  for (RankRecord& rank : profile.rank_records) {
    rank.packed_regions.clear();
    RegionPositions& positions = rank.region_positions;
    positions.anchor = 2;
    positions.length = 3;
    positions.as_started = {{11, 501, 1, 2, 4, 50, {0.07}, 1e-8},
                            {11, 502, 3, 2, 4, 50, {0.01}, 1e-8},
                            {12, 503, 2, 2, 4, 50, {0.02}, 1e-8}};
    positions.packed = {{11, 501, 2, 1, 6, {0.14}, 1e-8, 1, {0.1401}},
                        {11, 501, 1, 1, 6, {0.28}, 1e-8, 1, {0.2801}},
                        {11, 502, 2, 1, 6, {0.0095}, 1e-8, 1, {0.0097}},
                        {11, 502, 1, 1, 6, {0.009}, 1e-8, 1, {0.0092}},
                        {12, 503, 2, 1, 6, {0.0195}, 1e-8, 1, {0.0197}},
                        {12, 503, 1, 1, 6, {0.0190}, 1e-8, 1, {0.0192}}};
  }
  return profile;
}

hybrid::TeamRow row_with(std::uint64_t group, std::uint64_t context, std::uint32_t cores) {
  hybrid::TeamRow row;
  row.region = 7;
  row.group = group;
  row.before = {8, 8, 1, {}};
  row.after = {8, cores, 1, {}};
  row.where = {context, static_cast<std::uint32_t>(context), context == 0 ? 0U : 9U};
  return row;
}

std::vector<std::uint64_t> ids_of(const hybrid::TeamGroupOfRank& group) {
  std::vector<std::uint64_t> ids;
  for (const hybrid::TeamRegion& region : group.regions) ids.push_back(region.id);
  return ids;
}

std::vector<throttling::RegionCores> chosen_for(const std::vector<hybrid::TeamRow>& rows) {
  std::vector<const hybrid::TeamRow*> pointers;
  for (const hybrid::TeamRow& row : rows) pointers.push_back(&row);
  return choices_of_rank(pointers);
}

}  // namespace

TEST_CASE("regions with positions are taken apart, in the order in which they run") {
  const hybrid::TeamProgram teams = teams_of_profile(with_positions(), positioned_machine());
  const hybrid::TeamGroupOfRank& group = teams.ranks[0].groups[1];
  CHECK(ids_of(group) == std::vector<std::uint64_t>{11, 12, 11});
  REQUIRE(group.regions.size() == 3);
  CHECK(group.regions[0].options[0].seconds.value == doctest::Approx(0.07));
  CHECK(group.regions[2].options[0].seconds.value == doctest::Approx(0.01));
  CHECK(group.regions[0].passes == 50);
  CHECK(group.regions[1].passes == 100);  // at one position only: all of its passes
  REQUIRE(group.regions[0].options.size() == 3);
  CHECK(group.regions[0].options[1].seconds.value == doctest::Approx(0.28));
  CHECK(group.regions[2].options[1].seconds.value == doctest::Approx(0.009));
  CHECK(group.regions[2].refill.value == doctest::Approx(0.0002));
  CHECK(group.regions[2].where.context == 502);
  CHECK(text_of(group.regions[2].where) == " position 3 of 3");
  CHECK(text_of(hybrid::RegionPosition{0, 0, 3}) == " elsewhere");
  CHECK(text_of(hybrid::RegionPosition{}).empty());
  // The time of a phase beside its regions stays as it was without positions.
  const Profile plain = load_profile(kPositionFixtures / "profiles/two-hybrid-ranks.json");
  CHECK(group.regions[0].serial.value ==
        doctest::Approx(teams_of_profile(plain, positioned_machine())
                            .ranks[0]
                            .groups[1]
                            .regions[0]
                            .serial.value));
}

TEST_CASE("each position has its own cores, which one choice for all of them could not have") {
  const hybrid::TeamProgram teams = teams_of_profile(with_positions(), positioned_machine());
  const TeamStudy study = study_teams(teams, {}, true);
  CHECK(study.plan.changes);
  CHECK(study.plan.after.time < study.plan.before.time);
  const std::string text = text_of(study.chosen);
  CHECK(text == "bound 0.05;0-1 #2 b#1f6=1 c=1");
  for (const hybrid::TeamRow& row : study.rows)
    if (row.where.position == 1) CHECK(row.after.cores == 4);
  // With the means of all positions, the region stays, and so does all that is next to it.
  Profile mixed = with_positions();
  for (RankRecord& rank : mixed.rank_records) {
    rank.region_positions = {};
    rank.packed_regions = {
        {11, 4, 2, 1, 12, {0.075}, 1e-3, {0.0095}, {0.14}, 1, {0.08}, 100, {0.04}, 1e-3},
        {12, 4, 1, 1, 12, {0.019}, 1e-8, {0.019}, {0.019}, 1, {0.0192}, 100, {0.02}, 1e-8}};
  }
  const TeamStudy without = study_teams(teams_of_profile(mixed, positioned_machine()), {}, true);
  CHECK(without.plan.after.energy > study.plan.after.energy);
  CHECK(text_of(without.chosen).find("b=") == std::string::npos);
}

TEST_CASE("passes at no known position are a part of their own, with what was tried of them") {
  Profile profile = with_positions();
  RankRecord& rank = profile.rank_records[0];
  RegionPositions& positions = rank.region_positions;
  positions.as_started.insert(positions.as_started.begin(), {11, 0, 0, 0, 4, 25, {0.03}, 1e-8});
  positions.packed.push_back({11, 0, 2, 1, 2, {0.04}, 1e-8, 1, {0.05}});
  const auto row = std::ranges::find_if(rank.openmp_regions, [](const OpenMpRegionRecord& one) {
    return one.region == 11 && one.group == 2;
  });
  REQUIRE(row != rank.openmp_regions.end());
  const auto parts = parts_by_position(rank, *row);
  REQUIRE(parts.size() == 3);
  double passes = 0;
  double seconds = 0;
  for (const RegionPart& part : parts) {
    passes += part.passes;
    seconds += part.passes * part.record.mean.value;
    if (part.where.context == 0) CHECK(part.passes == doctest::Approx(20));
  }
  CHECK(passes == doctest::Approx(static_cast<double>(row->passes)));
  CHECK(seconds == doctest::Approx(row->mean.value * static_cast<double>(row->passes)));
  const hybrid::TeamProgram teams = teams_of_profile(profile, positioned_machine());
  const hybrid::TeamRegion& elsewhere = teams.ranks[0].groups[1].regions.back();
  REQUIRE(elsewhere.options.size() == 2);
  CHECK(elsewhere.options[1].seconds / elsewhere.options[0].seconds == doctest::Approx(4.0 / 3));
}

TEST_CASE("what was seen by position in another part of the run says nothing of a region") {
  Profile profile = with_positions();
  RankRecord& rank = profile.rank_records[0];
  OpenMpRegionRecord row = rank.openmp_regions.front();
  row.region = 11;
  row.group = 2;
  row.largest_team = 4;
  row.mean.value = 0.1;  // more than twice what its positions show
  CHECK(parts_by_position(rank, row).size() == 1);
  row.mean.value = 0.05;
  CHECK(parts_by_position(rank, row).size() == 2);
  row.group = 3;
  CHECK(parts_by_position(rank, row).size() == 1);
  row.group = 2;
  row.largest_team = 8;
  CHECK(parts_by_position(rank, row).size() == 1);
}

TEST_CASE("a region that differs by position has no smaller team, and one that is alike has") {
  Profile profile = with_positions();
  for (RankRecord& rank : profile.rank_records)
    for (const std::uint64_t region : {11U, 12U}) {
      PackedRegionRecord tried;
      tried.region = region;
      tried.team = 4;
      tried.cores = 2;
      tried.passes = 4;
      tried.mean.value = tried.shortest.value = tried.longest.value = 0.01;
      tried.usual_passes = 100;
      tried.usual_mean.value = region == 11 ? 0.04 : 0.02;
      rank.smaller_teams.push_back(tried);
    }
  const hybrid::TeamProgram teams = teams_of_profile(profile, positioned_machine(), {}, {11, 12});
  const auto& regions = teams.ranks[0].groups[1].regions;
  REQUIRE(ids_of(teams.ranks[0].groups[1]) == std::vector<std::uint64_t>{11, 12, 11});
  const auto threads_on_two = [&](std::size_t region) {
    for (const hybrid::TeamOption& option : regions[region].options)
      if (option.configuration.cores == 2) return option.configuration.threads;
    return 0U;
  };
  CHECK(threads_on_two(0) == 4);
  CHECK(threads_on_two(1) == 2);
  CHECK(threads_on_two(2) == 4);
}

TEST_CASE("positions that differ by the size of their team alone have entries of their own") {
  hybrid::TeamRow smaller = row_with(1, 5, 2);
  smaller.after.threads = 2;
  CHECK(chosen_for({smaller, row_with(1, 6, 2)}) ==
        std::vector<throttling::RegionCores>{{7, 0, 2, 1, 2, 5}, {7, 0, 2, 1, 0, 6}});
  CHECK(chosen_for({smaller, row_with(1, 0, 2)}) ==
        std::vector<throttling::RegionCores>{{7, 0, 2, 1}, {7, 0, 2, 1, 2, 5}});
}

TEST_CASE("a rank is given entries for positions only where the general one would not do") {
  using Choices = std::vector<throttling::RegionCores>;
  // All the same: one entry, as without positions.
  CHECK(chosen_for({row_with(1, 5, 4), row_with(1, 6, 4), row_with(2, 0, 4)}) ==
        Choices{{7, 0, 4, 1}});
  CHECK(chosen_for({row_with(1, 5, 8), row_with(1, 6, 8)}).empty());
  // Passes elsewhere are as they were started.
  CHECK(chosen_for({row_with(1, 5, 8), row_with(1, 6, 2)}) == Choices{{7, 0, 2, 1, 0, 6}});
  CHECK(chosen_for({row_with(1, 5, 8), row_with(1, 6, 2), row_with(1, 0, 8)}) ==
        Choices{{7, 0, 2, 1, 0, 6}});
  // And where they aren't, positions that stay need an entry.
  CHECK(chosen_for({row_with(1, 5, 8), row_with(1, 6, 2), row_with(1, 0, 2)}) ==
        Choices{{7, 0, 2, 1}, {7, 0, 8, 1, 0, 5}});
  CHECK(chosen_for({row_with(1, 5, 2), row_with(2, 6, 2), row_with(1, 0, 2), row_with(2, 0, 8)}) ==
        Choices{{7, 1, 2, 1}, {7, 0, 2, 1, 0, 6}});
  // A choice that holds in another group does not hold in this one.
  CHECK(chosen_for({row_with(1, 5, 8), row_with(1, 6, 2), row_with(2, 0, 2)}) ==
        Choices{{7, 2, 2, 1}, {7, 0, 2, 1, 0, 6}});
}

}  // namespace huddle::teams
