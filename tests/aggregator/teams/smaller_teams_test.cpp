#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/region_builds.hpp"
#include "aggregator/teams/team_study.hpp"

namespace huddle::teams {
namespace {

const std::filesystem::path kSizesFixtures = HUDDLE_FIXTURES;

Machine machine_of_sizes() {
  return load_machine(kSizesFixtures / "machines/package2-die2-core2-frequencies.json");
}

// Each region of each rank was tried with two threads in place of four, too, and took so much of
// its usual time.
Profile with_smaller_teams(double share) {
  Profile profile = load_profile(kSizesFixtures / "profiles/two-hybrid-ranks.json");
  profile.shared.modules = {{"hybrid", "/usr/bin/hybrid", "ab12", 0}};
  for (RankRecord& rank : profile.rank_records) {
    for (OpenMpRegionRecord& row : rank.openmp_regions) row.smallest_team = 2;
    for (const auto& [region, usual] : {std::pair(11, 0.04), std::pair(12, 0.02)}) {
      PackedRegionRecord tried;
      tried.region = static_cast<std::uint64_t>(region);
      tried.team = 4;
      tried.passes = 4;
      tried.cores = 2;
      tried.mean.value = tried.shortest.value = tried.longest.value = share * usual;
      tried.usual_passes = 900;
      tried.usual_mean.value = usual;
      rank.smaller_teams.push_back(tried);
    }
  }
  return profile;
}

const hybrid::TeamOption& on_two_cores(const hybrid::TeamProgram& teams, std::size_t region) {
  const hybrid::TeamRegion& found = teams.ranks[1].groups[1].regions[region];
  return *std::ranges::find_if(
      found.options, [](const hybrid::TeamOption& one) { return one.configuration.cores == 2; });
}

}  // namespace

TEST_CASE("teams are smaller only where that was measured, is allowed and is quicker") {
  const Profile profile = with_smaller_teams(0.9);
  CHECK(builds_with_regions(profile) == std::vector<std::string>{"ab12"});
  CHECK(regions_of_builds(profile, {"ab12"}) == std::set<std::uint64_t>{11, 12});
  CHECK(regions_of_builds(profile, {"cd34"}).empty());
  const hybrid::TeamProgram kept = teams_of_profile(profile, machine_of_sizes());
  for (const std::size_t region : {0U, 1U})
    CHECK(on_two_cores(kept, region).configuration.threads == 4);
  CHECK(kept.notes.empty());
  const hybrid::TeamProgram teams = teams_of_profile(profile, machine_of_sizes(), {}, {11, 12});
  for (const std::size_t region : {0U, 1U}) {
    CHECK(on_two_cores(teams, region).configuration == hybrid::TeamConfiguration{2, 2, 1, {2e9}});
    CHECK(on_two_cores(teams, region).seconds.value ==
          doctest::Approx(0.9 * (region == 0 ? 0.04 : 0.02)));
  }
  // One core was tried with the whole team only.
  const hybrid::TeamRegion& solve = teams.ranks[0].groups[1].regions[0];
  CHECK(solve.options.size() == 3);
  CHECK(std::ranges::all_of(solve.options, &hybrid::TeamOption::measured));
  // 0.0394 of 0.04 s was measured with the whole team.
  const hybrid::TeamProgram slower =
      teams_of_profile(with_smaller_teams(1.2), machine_of_sizes(), {}, {11, 12});
  CHECK(on_two_cores(slower, 0).configuration.threads == 4);
  CHECK(on_two_cores(slower, 1).configuration.threads == 2);  // 1.9 times as long otherwise
}

TEST_CASE("of a measured smaller team and a predicted whole one the measured one is believed") {
  Profile profile = with_smaller_teams(1.5);
  for (RankRecord& rank : profile.rank_records) rank.packed_regions.clear();
  const TimesPredictor as_quick = [](const predict::PhaseSamples& samples,
                                     std::span<const hybrid::TeamConfiguration> targets) {
    return std::vector<predict::TeamTime>(
        targets.size(),
        {samples.samples[0].mean, samples.samples[0].mean, samples.samples[0].mean});
  };
  const hybrid::TeamProgram teams = teams_of_profile(profile, machine_of_sizes(), as_quick, {11});
  CHECK(on_two_cores(teams, 0).configuration.threads == 2);
  CHECK(on_two_cores(teams, 0).seconds.value == doctest::Approx(0.06));
  CHECK(on_two_cores(teams, 1).configuration.threads == 4);
  const auto& options = teams.ranks[1].groups[1].regions[0].options;
  REQUIRE(options.size() == 3);
  CHECK(options[0].measured);
  CHECK_FALSE(options[1].measured);
  CHECK(options[2].measured);
}

TEST_CASE("a choice of smaller teams says how many threads they have") {
  const hybrid::TeamProgram teams =
      teams_of_profile(with_smaller_teams(0.5), machine_of_sizes(), {}, {11, 12});
  hybrid::TeamStrategyOptions options;
  options.slowdown_bound = 0.05;
  const TeamStudy study = study_teams(teams, options, true);
  CHECK(study.smaller_options == 6);
  REQUIRE(throttling::has_sizes(study.chosen));
  for (const throttling::RegionCores& choice : throttling::choices_for(study.chosen, Rank{0})) {
    CHECK(choice.cores == 2);
    CHECK(choice.threads == 2);
  }
  for (const hybrid::TeamRow& row : study.rows) {
    CHECK(row.before.threads == 4);
    CHECK(row.after.threads == 2);
    CHECK(row.measured);
    CHECK(row.reason.starts_with("With 2 of 4 threads, on 2 of 4 cores, on 1 package,"));
  }
}

TEST_CASE("a run that acted on smaller teams shows what its regions would take as started") {
  Profile profile = with_smaller_teams(0.5);
  RankRecord& rank = profile.rank_records.front();
  for (PackedRegionRecord& smaller : rank.smaller_teams) {
    if (smaller.region != 12) continue;
    smaller.passes = 90;
    smaller.usual_passes = 10;
  }
  for (OpenMpRegionRecord& row : rank.openmp_regions)
    if (row.region == 12) row.mean.value = row.shortest.value = 0.011;
  const hybrid::TeamProgram teams = teams_of_profile(profile, machine_of_sizes());
  CHECK(teams.ranks[0].groups[1].regions[1].options[0].seconds.value == doctest::Approx(0.02));
}

TEST_CASE("a team of another size than was tried leaves its region as it is") {
  Profile profile = with_smaller_teams(0.5);
  for (OpenMpRegionRecord& row : profile.rank_records.front().openmp_regions) row.smallest_team = 3;
  const hybrid::TeamProgram teams = teams_of_profile(profile, machine_of_sizes(), {}, {11, 12});
  CHECK(teams.ranks[0].groups[1].regions[0].options.size() == 1);
  CHECK(teams.notes.size() == 1);
}

}  // namespace huddle::teams
