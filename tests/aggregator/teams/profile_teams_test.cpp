#include "aggregator/teams/profile_teams.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "aggregator/teams/team_study.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::teams {
namespace {

const std::filesystem::path kFixtures = HUDDLE_FIXTURES;

Profile hybrid() {
  return load_profile(kFixtures / "profiles/two-hybrid-ranks.json");
}

Machine node_of_eight() {
  return load_machine(kFixtures / "machines/package2-die2-core2-frequencies.json");
}

std::string refusal_of(const Profile& profile, const Machine& machine) {
  try {
    static_cast<void>(teams_of_profile(profile, machine));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a profile's groups follow each other as their delimiters do") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  REQUIRE(teams.groups.size() == 4);
  for (std::size_t g = 0; g < 4; ++g) CHECK(teams.groups[g].id == g + 1);
  CHECK(teams.groups[1].passes == 100);
  CHECK(teams.groups[1].name == "bcast at hybrid+0x1000 to allreduce at hybrid+0x1100");
}

TEST_CASE("ranks have the cores that they were bound to, and their regions those of the team") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  REQUIRE(teams.ranks.size() == 2);
  CHECK(teams.ranks[1].cores == std::vector<std::uint32_t>{4, 5, 6, 7});
  const hybrid::TeamGroupOfRank& group = teams.ranks[0].groups[1];
  REQUIRE(group.regions.size() == 2);
  CHECK(group.regions[0].id == 11);
  CHECK(group.regions[1].id == 12);
  const hybrid::TeamRegion& region = group.regions[0];
  CHECK(region.options[region.reference].configuration ==
        hybrid::TeamConfiguration{4, 4, 1, {2e9}});
  CHECK(region.options[region.reference].seconds.value == 0.04);
  // The time of the phase beside its regions: 100 x (61.5 - 40 - 20) ms.
  CHECK(region.serial.value == doctest::Approx(0.15));
  CHECK(group.wait.value == 0.1);
}

TEST_CASE("times on fewer cores are the measured ones, for ranks that have none those of others") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  for (const std::size_t rank : {0U, 1U}) {
    const hybrid::TeamRegion& solve = teams.ranks[rank].groups[1].regions[0];
    REQUIRE(solve.options.size() == 3);
    const auto half = std::ranges::find_if(
        solve.options, [](const hybrid::TeamOption& o) { return o.configuration.cores == 2; });
    REQUIRE(half != solve.options.end());
    CHECK(half->seconds.value == doctest::Approx(0.0394));
    CHECK(half->error == doctest::Approx(0.01));
    CHECK(half->tried == 4);
    CHECK(solve.options[solve.reference].tried == 0);
    CHECK(solve.refill.value == doctest::Approx(0.0001));
    CHECK(std::ranges::all_of(solve.options, &hybrid::TeamOption::measured));
  }
}

// So many times as long as the region took as it ran, at most `most` times that.
predict::TeamTime taking(double times, double most, const predict::PhaseSamples& samples) {
  const Seconds time = samples.samples[0].mean * times;
  return {time, time, time * most};
}

TEST_CASE("what was not measured is predicted, and known to be") {
  const TimesPredictor twice = [](const predict::PhaseSamples& samples,
                                  std::span<const hybrid::TeamConfiguration> targets) {
    CHECK(samples.samples[0].configuration.cores == 4);
    CHECK(samples.samples.size() > 1);
    return std::vector<predict::TeamTime>(targets.size(), taking(2.0, 1.3, samples));
  };
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight(), twice);
  const hybrid::TeamRegion& assemble = teams.ranks[0].groups[1].regions[1];
  REQUIRE(assemble.options.size() == 3);  // two cores were measured, one was not
  CHECK(assemble.options.back().configuration.cores == 1);
  CHECK(assemble.options.back().seconds.value == doctest::Approx(0.04));
  CHECK(assemble.options.back().error == doctest::Approx(0.3));
  CHECK(assemble.options[1].measured);
  CHECK_FALSE(assemble.options.back().measured);
}

TEST_CASE(
    "without training, what was not measured has a wide interval around what fits the samples") {
  const Machine machine = node_of_eight();
  const hybrid::TeamProgram teams =
      teams_of_profile(hybrid(), machine, untrained_predictor(machine));
  const hybrid::TeamRegion& assemble = teams.ranks[0].groups[1].regions[1];
  REQUIRE(assemble.options.size() == 3);
  const hybrid::TeamOption& one_core = assemble.options.back();
  CHECK(one_core.configuration.cores == 1);
  // Two cores took 1.9 times as long as four.
  CHECK(one_core.seconds.value > 0.02 * 2.5);
  CHECK(one_core.seconds.value < 0.02 * 4.5);
  CHECK(one_core.error > 0);
}

TEST_CASE("regions of a run that acted on what it tried count as they were started") {
  const hybrid::TeamProgram tried = teams_of_profile(hybrid(), node_of_eight());
  Profile profile = hybrid();
  RankRecord& rank = profile.rank_records.front();
  const std::uint64_t region = rank.packed_regions.front().region;
  double passes = 0;
  for (const OpenMpRegionRecord& row : rank.openmp_regions)
    if (row.region == region) passes += static_cast<double>(row.passes);
  // Since then most passes took half as long again.
  for (PackedRegionRecord& packed : rank.packed_regions) {
    if (packed.region != region) continue;
    packed.acted_passes = static_cast<std::uint64_t>(std::lround(passes * 0.9));
    packed.usual_mean.value = 0.04;
    packed.mean = packed.acted_mean = Seconds{0.06};
    break;  // of one number of cores
  }
  for (OpenMpRegionRecord& row : rank.openmp_regions) {
    if (row.region != region) continue;
    const double longer = row.mean.value * 0.45 * static_cast<double>(row.passes);
    row.mean = row.mean * 1.45;
    row.longest = row.longest * 1.45;
    for (PhaseRecord& phase : rank.phases)
      if (phase.group == row.group) phase.mean.value += longer / static_cast<double>(phase.count);
  }
  const hybrid::TeamProgram acted = teams_of_profile(profile, node_of_eight());
  const hybrid::TeamGroupOfRank& before = tried.ranks[0].groups[1];
  const hybrid::TeamGroupOfRank& after = acted.ranks[0].groups[1];
  REQUIRE(after.regions.size() == before.regions.size());
  CHECK(after.regions[0].options[0].seconds.value == doctest::Approx(0.04));
  CHECK(after.regions[0].serial.value == doctest::Approx(before.regions[0].serial.value));
  CHECK(after.regions[1].options[0].seconds == before.regions[1].options[0].seconds);
}

TEST_CASE("a few passes that were acted on say nothing of how long the others would have been") {
  const hybrid::TeamProgram tried = teams_of_profile(hybrid(), node_of_eight());
  Profile profile = hybrid();
  RankRecord& rank = profile.rank_records.front();
  const std::uint64_t region = rank.packed_regions.front().region;
  // The run began with passes that took ten times as long as most.
  for (PackedRegionRecord& packed : rank.packed_regions) {
    if (packed.region != region) continue;
    packed.acted_passes = 1;
    packed.usual_mean.value = 0.4;
    packed.mean.value = 0.5;
    packed.acted_mean.value = 0.05;
  }
  const hybrid::TeamProgram acted = teams_of_profile(profile, node_of_eight());
  const Seconds before = tried.ranks[0].groups[1].regions[0].options[0].seconds;
  const Seconds after = acted.ranks[0].groups[1].regions[0].options[0].seconds;
  CHECK(after / before == doctest::Approx(1).epsilon(0.01));
}

TEST_CASE("code outside of regions keeps its core") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  const auto& regions = teams.ranks[0].groups[0].regions;
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].id == 0);
  CHECK(regions[0].options.size() == 1);
  CHECK(regions[0].options[0].configuration.threads == 1);
  CHECK(regions[0].options[0].seconds.value == 0.05);
}

TEST_CASE("teams whose size changes, and regions in no phase, stay as they are and are noted") {
  Profile profile = hybrid();
  profile.rank_records[0].openmp_regions[0].smallest_team = 2;
  profile.rank_records[0].openmp_regions[1].group = 0;
  const hybrid::TeamProgram teams = teams_of_profile(profile, node_of_eight());
  REQUIRE(teams.ranks[0].groups[1].regions.size() == 1);
  CHECK(teams.ranks[0].groups[1].regions[0].options.size() == 1);
  CHECK(teams.notes ==
        std::vector<std::string>{"regions of 2 s (of all ranks) are in no known phase, such as "
                                 "those that other threads begin: they stay as they are",
                                 "some regions have teams of different sizes: they stay as they "
                                 "are"});
}

// As in a run that tried smaller teams, where one phase fell into the time in which it did.
TEST_CASE(
    "teams that are larger in another phase stay as they are, and what they took is not mixed") {
  Profile profile = hybrid();
  RankRecord& rank = profile.rank_records[0];
  OpenMpRegionRecord& smaller = rank.openmp_regions[2];
  REQUIRE(smaller.region == rank.openmp_regions[0].region);
  REQUIRE(smaller.group == 3);
  smaller.smallest_team = smaller.largest_team = 2;
  const TimesPredictor none_of_two = [](const predict::PhaseSamples& samples,
                                        std::span<const hybrid::TeamConfiguration> targets) {
    CHECK(samples.samples[0].configuration.threads == 4);
    return std::vector<predict::TeamTime>(targets.size(), taking(2.0, 1.3, samples));
  };
  const hybrid::TeamProgram teams = teams_of_profile(profile, node_of_eight(), none_of_two);
  const auto& groups = teams.ranks[0].groups;
  REQUIRE(groups[2].regions.size() == 1);
  CHECK(groups[2].regions[0].options.size() == 1);
  CHECK(groups[2].regions[0].options[0].configuration.threads == 2);
  CHECK(groups[1].regions[0].options.size() == 3);
  CHECK(teams.notes == std::vector<std::string>{
                           "some regions have teams of different sizes: they stay as they are"});
}

TEST_CASE("profiles of which nothing can be said are refused with what to do") {
  Profile incomplete = hybrid();
  incomplete.complete = false;
  CHECK(refusal_of(incomplete, node_of_eight()).starts_with("the profile is not complete"));
  Profile elsewhere = hybrid();
  elsewhere.rank_records[1].pus = PuSet::parse("64-67");
  CHECK(refusal_of(elsewhere, node_of_eight())
            .starts_with("rank 1 ran on PUs 64-67, which nodes of the machine "
                         "package2-die2-core2-frequencies don't have"));
  Profile unbound = hybrid();
  unbound.rank_records[1].pus = PuSet::parse("0-7");
  CHECK(
      refusal_of(unbound, node_of_eight()).starts_with("ranks 0 and 1 may run on the same cores"));
  Machine unknown = node_of_eight();
  unknown.power.reset();
  CHECK(refusal_of(hybrid(), unknown).find("has no power figures") != std::string::npos);
}

TEST_CASE("a machine without frequencies has one clock") {
  Machine machine = node_of_eight();
  machine.frequencies.reset();
  const hybrid::TeamNode node = team_node_of(machine);
  REQUIRE(node.power.size() == 1);
  CHECK(node.power[0].core.value == 9);
  CHECK(node.packages == 2);
  CHECK(node.cores_per_die == 2);
  CHECK(team_node_of(node_of_eight()).power.size() == 3);
}

TEST_CASE("power states of cores alone are figures, too, with a clock for each package") {
  const Machine machine =
      load_machine(std::filesystem::path(HUDDLE_MACHINES_FOLDER) / "xeon-x5560.json");
  const hybrid::TeamNode node = team_node_of(machine);
  CHECK(node.idle.value == doctest::Approx(8 * 20.81));
  REQUIRE(node.power.size() == 5);
  CHECK(node.power.front().clock.value == 1.6e9);
  CHECK(node.power.front().core.value == doctest::Approx(24.57 - 20.81));
  CHECK(node.power.back().core.value == doctest::Approx(35.68 - 20.81));
  CHECK(node.power.back().package.value == 0);
  CHECK(node.nominal.value == 2.8e9);
  CHECK(node.clock_of_package);
  CHECK(knows_clocks(machine));
  CHECK(power_origin_of(machine).starts_with("given: Knobloch et al."));
  CHECK(study_teams(teams_of_profile(hybrid(), machine), {}, true).plan.changes);
  // Those of juropa name no clocks.
  const Machine unnamed =
      load_machine(std::filesystem::path(HUDDLE_MACHINES_FOLDER) / "juropa.json");
  CHECK(team_node_of(unnamed).power.size() == 1);
  CHECK_FALSE(knows_clocks(unnamed));
}

TEST_CASE("a machine that the profile can't be of is named") {
  Machine small = node_of_eight();
  small.nodes = 1;
  Profile profile = hybrid();
  profile.rank_records[1].node = "n1";
  CHECK(
      teams_of_profile(profile, small).notes ==
      std::vector<std::string>{"the profile is of another machine than "
                               "package2-die2-core2-frequencies: its ranks ran on 2 nodes, of 1"});
  CHECK(teams_of_profile(profile, node_of_eight()).notes.empty());
}

TEST_CASE(
    "regions that need no more get fewer cores, and ranks with the same choice share an entry") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  const TeamStudy study = study_teams(teams, {}, true);
  CHECK(study.plan.changes);
  CHECK(text_of(study.chosen) == "bound 0.05;0-1 b=2");
  CHECK(study.measured_options == 10);
  CHECK(study.predicted_options == 0);
  REQUIRE(study.rows.size() == 6);
  const hybrid::TeamRow& solve = study.rows[0];
  CHECK(solve.region == 11);
  CHECK(solve.after.cores == 2);
  CHECK(solve.measured);
  CHECK(solve.pass_before.value == doctest::Approx(0.04));
  CHECK(solve.pass_most.value == doctest::Approx(0.0394 * 1.01));
  CHECK(solve.energy_after < solve.energy_before);
}

TEST_CASE("with measured options only, nothing is chosen that is predicted") {
  const TimesPredictor free_lunch = [](const predict::PhaseSamples& samples,
                                       std::span<const hybrid::TeamConfiguration> targets) {
    return std::vector<predict::TeamTime>(targets.size(), taking(0.5, 1, samples));
  };
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight(), free_lunch);
  for (const hybrid::TeamRow& row : study_teams(teams, {}, true).rows) CHECK(row.measured);
  const auto rows = study_teams(teams, {}, false).rows;
  CHECK(std::ranges::any_of(rows, [](const hybrid::TeamRow& row) { return !row.measured; }));
}

TEST_CASE("a region that has other cores in another group is named with its groups") {
  Profile profile = hybrid();
  // In group 3 the region has a team that changes: there it stays.
  for (RankRecord& record : profile.rank_records) record.openmp_regions[2].smallest_team = 1;
  const hybrid::TeamProgram teams = teams_of_profile(profile, node_of_eight());
  CHECK(text_of(study_teams(teams, {}, true).chosen) == "bound 0.05;0-1 b@2=2");
}

TEST_CASE("what a user asks for is predicted, bound or not") {
  const hybrid::TeamProgram teams = teams_of_profile(hybrid(), node_of_eight());
  const TeamStudy study =
      study_what_if(teams, {parse_team_what_if("hybrid+0x2400=2", "--what-if")}, 0.05);
  CHECK_FALSE(study.plan.within_bound);
  CHECK(study.plan.after.time > study.plan.before.time);
  CHECK(text_of(study.chosen) == "bound 0.05;0-1 c=2");
  const TeamStudy slower =
      study_what_if(teams, {parse_team_what_if("hybrid+0x2400=2@1.0", "--what-if")}, 0.05);
  // The clock is half of the nominal one, which doubles the time at most.
  CHECK(slower.rows[1].pass_after.value == doctest::Approx(2 * study.rows[1].pass_after.value));
  CHECK_FALSE(slower.rows[1].measured);
  CHECK(slower.plan.after.time > study.plan.after.time);
  CHECK_THROWS_AS(static_cast<void>(study_what_if(teams, {{"hybrid", 2, {3e9}}}, 0.05)), Error);
  CHECK_THROWS_AS(static_cast<void>(study_what_if(teams, {{"absent", 2, {}}}, 0.05)), Error);
  CHECK_THROWS_AS(static_cast<void>(study_what_if(teams, {{"hybrid", 3, {}}}, 0.05)), Error);
}

TEST_CASE("the whole run changes by the sum of what its regions do, however short they are") {
  Profile profile = hybrid();
  for (RankRecord& rank : profile.rank_records) {
    OpenMpRegionRecord& assemble = rank.openmp_regions[1];
    REQUIRE(assemble.region == 12);
    assemble.passes = 100;
    assemble.mean.value = assemble.shortest.value = assemble.longest.value = 2e-6;
    rank.phases[1].delimiter_time = {};
  }
  hybrid::TeamProgram teams = teams_of_profile(profile, node_of_eight());
  teams.switching = {{0}, {0}};
  hybrid::for_each_region(
      teams, [](auto, auto, auto, hybrid::TeamRegion& region) { region.refill.value = 0; });
  const TeamStudy study =
      study_what_if(teams, {parse_team_what_if("hybrid+0x2400=2", "--what-if")}, 0.05);
  double of_rank = 0;
  for (const hybrid::TeamRow& row : study.rows) {
    CHECK_FALSE(row.follows);
    CHECK(row.reason ==
          (row.region == 12 ? "Asked for." : "As it ran: nothing else was asked for."));
    if (row.rank == 0) of_rank += (row.time_after - row.time_before).value;
  }
  CHECK(of_rank == doctest::Approx(100 * 0.9 * 2e-6));
  CHECK((study.plan.after.time - study.plan.before.time).value == doctest::Approx(of_rank));
  CHECK(study.plan.reason.starts_with("asked for: +0.00018 s (+0.0023 %) of time, "));
}

TEST_CASE("a wish is a region, cores, and a clock if one is meant") {
  const TeamWhatIf plain = parse_team_what_if("solve=4", "--what-if");
  CHECK(plain.region == "solve");
  CHECK(plain.cores == 4);
  CHECK(plain.clock.value == 0);
  const TeamWhatIf slow = parse_team_what_if("a=b=2@1.5", "--what-if");
  CHECK(slow.region == "a=b");
  CHECK(slow.clock.value == 1.5e9);
  for (const char* bad : {"", "solve", "=4", "solve=", "solve=0", "solve=x", "solve=4@",
                          "solve=4@x", "solve=4@-1", "solve=4@0", "solve=4@nan", "solve=4 "})
    CHECK_THROWS_AS(static_cast<void>(parse_team_what_if(bad, "--what-if")), UsageError);
}

}  // namespace huddle::teams
