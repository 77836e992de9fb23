#include "aggregator/recommend/detail/load_grouping.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "aggregator/recommend/plan_making.hpp"
#include "aggregator/recommend/recommender.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::recommend {
namespace {

const std::vector<Hertz> kClocks = {{1e9}, {1.5e9}, {1.8e9}, {2e9}};

std::vector<std::vector<GroupSlack>> loads_of_100(const std::vector<double>& loads) {
  std::vector<std::vector<GroupSlack>> slacks;
  for (const double load : loads) slacks.push_back({{{load}, {100 - load}}});
  return slacks;
}

std::vector<std::uint32_t> in_order(std::uint32_t ranks) {
  std::vector<std::uint32_t> cores(ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return cores;
}

TEST_CASE("ranks that can wait go to one package, and those that others wait for to another") {
  const auto slacks = loads_of_100({100, 50, 100, 50, 50, 100, 50, 100});
  const auto grouping = group_by_load(slacks, {2, 2, 2}, in_order(8), kClocks);
  REQUIRE(grouping);
  // All eight at the top before, four of them afterwards at half of it.
  CHECK(grouping->saved == doctest::Approx(1 - (4 + 4 * 0.125) / 8));
  std::set<std::uint32_t> packages_of_loaded;
  for (const std::uint32_t rank : {0U, 2U, 5U, 7U})
    packages_of_loaded.insert(grouping->core_of[rank] / 4);
  CHECK(packages_of_loaded.size() == 1);
}

TEST_CASE("each node keeps its ranks and its cores, the last one, which is not full, too") {
  std::vector<double> loads;
  for (int rank = 0; rank < 14; ++rank) loads.push_back(rank % 2 == 0 ? 100 : 50);
  const auto grouping = group_by_load(loads_of_100(loads), {2, 2, 2}, in_order(14), kClocks);
  REQUIRE(grouping);
  for (std::uint32_t rank = 0; rank < 14; ++rank) CHECK(grouping->core_of[rank] / 8 == rank / 8);
  std::vector<std::uint32_t> cores = grouping->core_of;
  std::sort(cores.begin(), cores.end());
  CHECK(cores == in_order(14));
}

TEST_CASE("nothing is traded where ranks are alike, or on one package, or apart already") {
  CHECK_FALSE(group_by_load(loads_of_100({100, 100, 100, 100}), {2, 1, 2}, in_order(4), kClocks));
  CHECK_FALSE(group_by_load(loads_of_100({100, 50, 100, 50}), {1, 2, 2}, in_order(4), kClocks));
  CHECK_FALSE(group_by_load(loads_of_100({100, 100, 50, 50}), {2, 1, 2}, in_order(4), kClocks));
  CHECK_FALSE(group_by_load(loads_of_100({100, 50, 100, 50}), {2, 1, 2}, in_order(4), {{2e9}}));
}

// Every second rank computes half as long, and waits for the others.
Profile every_second_waits(std::uint32_t ranks) {
  Profile profile = run_of(ranks, 1);
  for (std::uint32_t rank = 1; rank < ranks; rank += 2) profile.rank_records[rank].mpi_time = {50};
  return profile;
}

// A busy core draws 1 + 8 (f / 2 GHz)^3 W, and nothing else draws anything.
Machine one_clock_a_package() {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{0}, {0}, {0}, {0}, {9}, Origin::kGiven};
  machine.frequencies =
      Frequencies{kClocks, {2e9}, {{{0}, {1}, {}, {}}}, ClockDomain::kPackage, Origin::kGiven};
  return machine;
}

Plan planned(const Profile& profile, const Machine& machine, RecommendationOptions options) {
  options.computation = ComputationMethod::kSimple;  // by hand
  options.most_nodes = 1;
  const Recommender recommender(machine, small_node(), 1);
  const Recommendation recommendation =
      recommender.recommend({profile}, predict::reference_on({1, 1, 1}, profile.ranks), options);
  return recommender.plan(recommendation, profile, options);
}

// The package of each rank, by rank.
std::vector<std::uint32_t> packages_of(const Plan& plan) {
  std::vector<std::uint32_t> packages;
  for (const RankPlace& place : plan.placement) packages.push_back(place.pus.members().front() / 4);
  return packages;
}

TEST_CASE("a plan puts ranks with like loads onto one package, whose clock then is lower") {
  const Profile profile = every_second_waits(8);
  RecommendationOptions options;
  options.frequencies = FrequencyRange{};
  const Plan plan = planned(profile, one_clock_a_package(), options);
  REQUIRE(plan.rank_frequencies.size() == 8);
  const std::vector<std::uint32_t> packages = packages_of(plan);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    CHECK(packages[rank] == packages[rank % 2]);
    CHECK((plan.rank_frequencies[rank] < *plan.frequency) == (rank % 2 == 1));
  }
  CHECK(packages[0] != packages[1]);
  CHECK(plan.reason.ends_with("; ranks with like loads share a clock"));
}

TEST_CASE("a plan for clocks that follow loads does so too, though it names no frequency") {
  RecommendationOptions options;
  options.clocks_follow_loads = true;
  const Plan plan = planned(every_second_waits(8), one_clock_a_package(), options);
  CHECK_FALSE(plan.frequency);
  const std::vector<std::uint32_t> packages = packages_of(plan);
  for (std::uint32_t rank = 0; rank < 8; ++rank) CHECK(packages[rank] == packages[rank % 2]);
  CHECK(packages[0] != packages[1]);
  CHECK(plan.reason.ends_with("; ranks with like loads share a clock"));
}

TEST_CASE("ranks stay by those that they talk to, where that costs more time than clocks save") {
  Profile profile = every_second_waits(8);
  // Within a die they take 1 s, between packages 3 s; the program takes 100 s.
  for (std::uint32_t rank = 0; rank < 8; ++rank) add_messages(profile, rank, rank ^ 1U, 20, 1);
  for (RankRecord& record : profile.rank_records) record.mpi_time += Seconds{20};
  RecommendationOptions options;
  options.clocks_follow_loads = true;
  const Plan plan = planned(profile, one_clock_a_package(), options);
  const std::vector<std::uint32_t> packages = packages_of(plan);
  for (std::uint32_t rank = 0; rank < 8; ++rank) CHECK(packages[rank] == packages[rank ^ 1U]);
}

TEST_CASE("loads play no part in where ranks go on cores with clocks of their own") {
  Machine machine = one_clock_a_package();
  machine.frequencies->domain = ClockDomain::kCore;
  RecommendationOptions options;
  options.frequencies = FrequencyRange{};
  const Plan plan = planned(every_second_waits(8), machine, options);
  CHECK(plan.rank_frequencies.size() == 8);
  CHECK(plan.reason.find("like loads") == std::string::npos);
}

}  // namespace
}  // namespace huddle::recommend
