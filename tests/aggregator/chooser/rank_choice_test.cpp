#include "aggregator/chooser/rank_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "aggregator/hybrid/team_prediction.hpp"
#include "aggregator/teams/profile_teams.hpp"
#include "aggregator/teams/team_study.hpp"
#include "aggregator/teams/teams_for_ranks.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::chooser {
namespace {

const std::filesystem::path kFixtures = HUDDLE_FIXTURES;

Machine two_packages_of_four() {
  return load_machine(kFixtures / "machines/package2-die2-core2-frequencies.json");
}

// The profile that rank 0 of the fixture would send, were it on these PUs. `stretch`: how many
// times as long its regions take on fewer cores.
Profile rank_alone(const char* pus, double stretch) {
  Profile profile = load_profile(kFixtures / "profiles/two-hybrid-ranks.json");
  profile.ranks = 1;
  profile.rank_records.resize(1);
  RankRecord& rank = profile.rank_records.front();
  rank.sent.clear();
  rank.pus = PuSet::parse(pus);
  for (PackedRegionRecord& packed : rank.packed_regions) {
    packed.usual_mean.value = 0.01;
    packed.usual_variance_s2 = packed.variance_s2 = 0;
    packed.mean.value = packed.shortest.value = packed.longest.value = 0.01 * stretch;
  }
  return profile;
}

std::string choice(const Profile& profile, ChoiceOrder order = {}) {
  return choice_of_rank(profile, two_packages_of_four(), order);
}

}  // namespace

TEST_CASE(
    "a rank whose regions need only half of its cores chooses that, as rank 0 and without clocks") {
  const std::string line = choice(rank_alone("0-3", 1.0));
  const throttling::ChosenByRank chosen = throttling::parse_teams(line, 1);
  CHECK(chosen.bound == 0.05);
  REQUIRE_FALSE(throttling::choices_for(chosen, {0}).empty());
  for (const throttling::RegionCores& one : throttling::choices_for(chosen, {0}))
    CHECK(one.cores < 4);
  CHECK(throttling::clocks_for(chosen, {0}).empty());
}

TEST_CASE("a rank may not become slower, however long it waits for others") {
  Profile profile = rank_alone("0-3", 1.5);
  for (PhaseRecord& phase : profile.rank_records.front().phases)
    phase.delimiter_time = phase.mean * static_cast<double>(phase.count);
  CHECK(choice(profile).starts_with(kNothingChosen));
}

TEST_CASE("packages and dies that are not all the rank's are worth nothing when they are empty") {
  const auto saved = [](const char* pus) {
    hybrid::TeamProgram teams =
        teams::teams_of_profile(rank_alone(pus, 1.0), two_packages_of_four());
    teams::keep_shared_parts_busy(teams);
    const hybrid::TeamPlan plan = teams::study_teams(teams, {}, true).plan;
    return (plan.before.energy - plan.after.energy).value;
  };
  // On cores of both packages the rank could leave one of them, which is then empty or not.
  const double with_packages = [&] {
    const hybrid::TeamProgram teams =
        teams::teams_of_profile(rank_alone("0-1,4-5", 1.0), two_packages_of_four());
    const hybrid::TeamPlan plan = teams::study_teams(teams, {}, true).plan;
    return (plan.before.energy - plan.after.energy).value;
  }();
  CHECK(saved("0-1,4-5") < 0.9 * with_packages);
  CHECK(saved("0-1,4-5") >= 0);
  // A whole package of its own has nobody else in it.
  hybrid::TeamProgram own = teams::teams_of_profile(rank_alone("0-3", 1.0), two_packages_of_four());
  teams::keep_shared_parts_busy(own);
  CHECK(own.ranks.size() == 1);
  hybrid::TeamProgram shared =
      teams::teams_of_profile(rank_alone("0-1,4", 1.0), two_packages_of_four());
  teams::keep_shared_parts_busy(shared);
  REQUIRE(shared.ranks.size() == 3);
  CHECK(shared.ranks[1].cores == std::vector<std::uint32_t>{2});  // another die
  CHECK(shared.ranks[2].cores == std::vector<std::uint32_t>{5});  // the same die
}

TEST_CASE("others on a package change nothing of when the rank ends") {
  hybrid::TeamProgram teams =
      teams::teams_of_profile(rank_alone("0-1,4-5", 1.0), two_packages_of_four());
  const hybrid::TeamPrediction alone =
      hybrid::predict_team_program(teams, hybrid::reference_choice(teams));
  teams::keep_shared_parts_busy(teams);
  const hybrid::TeamPrediction beside =
      hybrid::predict_team_program(teams, hybrid::reference_choice(teams));
  CHECK(beside.time.value == doctest::Approx(alone.time.value));
  CHECK(beside.energy.value > alone.energy.value);
}

TEST_CASE("a run with nothing measured on fewer cores chooses nothing, and says why") {
  Profile profile = rank_alone("0-3", 1.0);
  profile.rank_records.front().packed_regions.clear();
  const std::string line = choice(profile);
  CHECK(line.starts_with(kNothingChosen));
  CHECK(line.size() > kNothingChosen.size() + 10);
  profile.shared.phase_groups.clear();
  CHECK_THROWS_AS(choice(profile), Error);
  CHECK_THROWS_AS(choice(load_profile(kFixtures / "profiles/two-hybrid-ranks.json")), Error);
}

}  // namespace huddle::chooser
