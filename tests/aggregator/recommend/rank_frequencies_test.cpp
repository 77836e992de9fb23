#include "aggregator/recommend/detail/rank_frequencies.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "aggregator/recommend/plan_making.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

const std::vector<Hertz> kSettable = {{1e9}, {1.5e9}, {1.8e9}, {2e9}};
constexpr Hertz kHighest{2e9};

// One rank a node; each computes for so long of 100 s, and waits for the rest.
Profile waiting(const std::vector<double>& computation_s) {
  Profile profile = run_of(static_cast<std::uint32_t>(computation_s.size()), 1);
  for (RankRecord& record : profile.rank_records)
    record.mpi_time = {100 - computation_s[record.rank.value]};
  return profile;
}

void add_group(RankRecord& record, std::uint64_t group, double computation_s, double waited_s,
               double longest_pass_s = 0) {
  PhaseRecord phase;
  phase.group = group;
  phase.count = 10;
  phase.mean = {computation_s / 10};
  phase.longest = {std::max(longest_pass_s, computation_s / 10)};
  if (longest_pass_s > 0) phase.variance_s2 = 100;
  phase.delimiter_time = {waited_s};
  record.phases.push_back(phase);
}

RankFrequencies lowered(const Profile& profile, std::vector<std::uint32_t> clocks = {},
                        double most_added = 0.01) {
  for (std::uint32_t rank = 0; clocks.size() < profile.ranks; ++rank) clocks.push_back(rank);
  return frequencies_for_ranks(slacks_of(profile), profile.run_time(), kHighest, kSettable, clocks,
                               most_added);
}

using Frequencies4 = std::vector<Hertz>;

TEST_CASE("slack is the critical rank's time less one's own, less the tolerance") {
  const auto slacks = slacks_of(waiting({100, 80, 50, 100}));
  REQUIRE(slacks.size() == 4);
  REQUIRE(slacks[0].size() == 1);
  CHECK(slacks[0][0].slack == Seconds{0});
  CHECK(slacks[1][0].load.value == doctest::Approx(80));
  CHECK(slacks[1][0].slack.value == doctest::Approx(20 / 1.15));
  CHECK(slacks[2][0].slack.value == doctest::Approx(50 / 1.15));
}

TEST_CASE("slack is no more than what was waited, and less what is spent on sending") {
  Profile profile = run_of(2, 1);
  add_group(profile.rank_records[0], 1, 100, 0);
  add_group(profile.rank_records[1], 1, 60, 10);
  CHECK(slacks_of(profile)[1][0].slack.value == doctest::Approx(10 / 1.15));
  profile.rank_records[1].phases[0].delimiter_time = {40};
  profile.rank_records[1].phases[0].mpi_time = {15};
  CHECK(slacks_of(profile)[1][0].slack.value == doctest::Approx(25 / 1.15));
}

TEST_CASE("ranks go down as far as their slack allows, and the most loaded keep theirs") {
  // 80 s may become 97.4 s: 1.8 GHz makes 88.9 s of it, 1.5 GHz 106.7 s. 50 s may become 93.5 s:
  // 1.5 GHz makes 66.7 s of it, 1 GHz 100 s.
  const RankFrequencies found = lowered(waiting({100, 80, 50, 100}));
  CHECK(found.by_rank == Frequencies4{{2e9}, {1.8e9}, {1.5e9}, {2e9}});
  CHECK(found.added == 0);
  CHECK(found.imbalance == doctest::Approx(2));
  CHECK_FALSE(found.beyond_frequencies);
}

TEST_CASE("ranks that share a clock run as the most loaded of them needs it") {
  const RankFrequencies found = lowered(waiting({50, 80, 50, 100}), {0, 0, 1, 1});
  CHECK(found.by_rank == Frequencies4{{1.8e9}, {1.8e9}, {2e9}, {2e9}});
}

TEST_CASE("ranks with equal work keep their frequency") {
  CHECK(lowered(waiting({100, 100, 100})).by_rank == Frequencies4(3, kHighest));
  CHECK(lowered(waiting({99, 100, 98})).by_rank == Frequencies4(3, kHighest));
}

TEST_CASE("more imbalance than frequencies can balance is reported") {
  const RankFrequencies found = lowered(waiting({100, 30}));
  CHECK(found.by_rank == Frequencies4{{2e9}, {1e9}});
  CHECK(found.imbalance == doctest::Approx(100.0 / 30));
  CHECK(found.beyond_frequencies);
}

TEST_CASE("a rank that is critical in one group has no slack there, whatever it has in others") {
  Profile profile = run_of(2, 1, 120);
  add_group(profile.rank_records[0], 1, 60, 0);
  add_group(profile.rank_records[0], 2, 40, 20);
  add_group(profile.rank_records[1], 1, 30, 30);
  add_group(profile.rank_records[1], 2, 60, 0);
  for (RankRecord& record : profile.rank_records)
    record.mpi_time = {record.rank.value == 0 ? 20.0 : 30.0};
  CHECK(lowered(profile).by_rank == Frequencies4(2, kHighest));
}

TEST_CASE("a group that is next to nothing keeps no rank from going down") {
  Profile profile = run_of(2, 1);
  add_group(profile.rank_records[0], 1, 99.9, 0);
  add_group(profile.rank_records[0], 2, 0.1, 0);
  add_group(profile.rank_records[1], 1, 70, 29.9);
  add_group(profile.rank_records[1], 2, 0.1, 0);
  profile.rank_records[1].mpi_time = {29.9};
  const RankFrequencies found = lowered(profile);
  CHECK(found.by_rank == Frequencies4{{2e9}, {1.5e9}});
  CHECK(found.added == doctest::Approx(0.1 * (2 / 1.5 - 1) / 100));
  // With no room for that, nothing is lowered.
  CHECK(lowered(profile, {}, 0).by_rank == Frequencies4(2, kHighest));
  CHECK(lowered(profile, {}, 0).added == 0);
}

TEST_CASE("passes that are now short, now as long as the critical rank's leave no slack") {
  Profile profile = run_of(2, 1);
  add_group(profile.rank_records[0], 1, 100, 0);
  add_group(profile.rank_records[1], 1, 60, 40, 10);
  profile.rank_records[1].mpi_time = {40};
  CHECK(lowered(profile).by_rank == Frequencies4(2, kHighest));
  profile.rank_records[1].phases[0].longest = {6.5};
  CHECK(lowered(profile).by_rank == Frequencies4{{2e9}, {1.5e9}});
}

// As a trace of another run showed it, which took twice as long.
void add_wait_states(Profile& profile, const std::vector<double>& slack_s,
                     double stretched_run_time_s = 200) {
  WaitSummary waits{"trace", {200}, {stretched_run_time_s}, {}, {}};
  for (const RankRecord& record : profile.rank_records)
    waits.ranks.push_back({{200}, record.computation_time() * 2, {slack_s[record.rank.value]}});
  profile.wait_states = waits;
}

TEST_CASE("slack from a trace goes before estimates from phases") {
  Profile profile = waiting({100, 80, 50, 100});
  // Rank 1 waits, but all others wait for it before that; rank 3 works in vain.
  add_wait_states(profile, {0, 0, 50, 60});
  const auto slacks = slacks_of(profile);
  REQUIRE(slacks[2].size() == 1);
  CHECK(slacks[2][0].load.value == doctest::Approx(50));
  CHECK(slacks[2][0].slack.value == doctest::Approx(25 / 1.15));
  // 50 s may become 71.7 s, 100 s 126.1 s.
  CHECK(lowered(profile).by_rank == Frequencies4{{2e9}, {2e9}, {1.5e9}, {1.8e9}});
}

// A busy core draws 1 + 8 (f / 2 GHz)^3 W, and nothing else draws anything.
Machine machine_of(ClockDomain domain) {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{0}, {0}, {0}, {0}, {9}, Origin::kGiven};
  machine.frequencies =
      Frequencies{kSettable, kHighest, {{{0}, {1}, {}, {}}}, domain, Origin::kGiven};
  return machine;
}

struct Planned {
  Planned(const Profile& profile, ClockDomain domain, double slowdown = 0.05) {
    const Machine machine = machine_of(domain);
    RecommendationOptions options;
    options.computation = ComputationMethod::kSimple;  // by hand
    options.slowdown = slowdown;
    options.frequencies = FrequencyRange{};
    const Recommendation recommendation = recommend(
        {profile}, machine, small_node(), predict::reference_on({1, 1, 1}, profile.ranks), options);
    plan = plan_of(recommendation, profile, small_node(), Grouping::kRankOrder);
    alike = plan;
    set_slack_frequencies(plan, profile, machine, small_node(), options);
  }
  Plan alike;
  Plan plan;
};

TEST_CASE("a plan whose ranks wait for others gives each its frequency, and counts what it saves") {
  const Planned planned(waiting({100, 80, 50, 100}), ClockDomain::kCore);
  CHECK(planned.plan.frequency == kHighest);
  CHECK(planned.plan.rank_frequencies == Frequencies4{{2e9}, {1.8e9}, {1.5e9}, {2e9}});
  CHECK(planned.plan.chosen.time == planned.alike.chosen.time);
  // 9 + 6.832 + 4.375 + 9 W instead of 4 x 9 W.
  CHECK(*planned.plan.chosen.energy / *planned.alike.chosen.energy == doctest::Approx(29.207 / 36));
  CHECK(planned.plan.reason.find(
            " at 1.5 GHz to 2 GHz by rank, predicted +0.0 % time (contention unknown), -19 % "
            "energy") != std::string::npos);
}

TEST_CASE("a plan whose ranks share clocks, or wait for nobody, stays as it is") {
  // All four are on one package, whose clock the most loaded one needs.
  const Planned shared(waiting({100, 80, 50, 100}), ClockDomain::kPackage);
  CHECK(to_json(shared.plan) == to_json(shared.alike));
  const Planned balanced(waiting({100, 100, 100, 100}), ClockDomain::kCore);
  CHECK(to_json(balanced.plan) == to_json(balanced.alike));
}

TEST_CASE("what using a trace's slack adds to the run is in the prediction, and within the bound") {
  Profile profile = waiting({100, 100, 50, 100});
  add_wait_states(profile, {0, 0, 50, 0}, 201);
  const Planned planned(profile, ClockDomain::kCore);
  CHECK(planned.plan.rank_frequencies == Frequencies4{{2e9}, {2e9}, {1.5e9}, {2e9}});
  CHECK(planned.plan.chosen.time.value == doctest::Approx(planned.alike.chosen.time.value * 1.005));
  CHECK(planned.plan.reason.ends_with("; ranks' slack is that of a trace"));
  add_wait_states(profile, {0, 0, 50, 0}, 203);
  const Planned too_long(profile, ClockDomain::kCore);
  CHECK(to_json(too_long.plan) == to_json(too_long.alike));
}

TEST_CASE("a plan's reason says where frequencies can't balance its ranks") {
  const Planned planned(waiting({100, 30, 100, 100}), ClockDomain::kCore);
  CHECK(planned.plan.reason.ends_with(
      "; a rank computes 3.3 times as much as another one, which frequencies can't balance"));
}

}  // namespace
}  // namespace huddle::recommend
