#include "aggregator/balance/balance_study.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "aggregator/balance/profile_loads.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

BalanceHardware hardware() {
  BalanceHardware result;
  result.power = {{{1e9}, {5}, {5}}, {{2e9}, {20}, {20}}};
  result.cores_per_package = 2;
  result.cores_per_node = 4;
  return result;
}

Profile profile(const std::vector<double>& seconds, std::uint64_t passes) {
  Profile result;
  result.ranks = static_cast<std::uint32_t>(seconds.size());
  for (std::uint32_t rank = 0; rank < seconds.size(); ++rank) {
    RankRecord& record = result.rank_records.emplace_back();
    record.rank = Rank{rank};
    const auto count = static_cast<double>(passes);
    record.run_time = {1.1 * count};
    record.mpi_time = {(1.1 - seconds[rank]) * count};
    for (const auto& [group, passes_of_it, mean] :
         {std::tuple(1U, passes, seconds[rank]), std::tuple(2U, std::uint64_t{1}, 0.001)}) {
      PhaseRecord& phase = record.phases.emplace_back();
      phase.group = group;
      phase.count = passes_of_it;
      phase.mean = {mean};
    }
  }
  return result;
}

const BalanceRow& row(const BalanceStudy& study, const std::string& key) {
  const auto found = std::find_if(study.rows.begin(), study.rows.end(),
                                  [&](const BalanceRow& one) { return one.key == key; });
  REQUIRE(found != study.rows.end());
  return *found;
}

}  // namespace

TEST_CASE(
    "a profile's phases are its iterations, and its longest rank's MPI what a period takes "
    "besides") {
  const ProfileLoads loads = loads_of_profile(profile({1, 0.5, 0.6, 0.4}, 100));
  CHECK(loads.table.processors == 4);
  CHECK(loads.table.iterations() == 100);
  CHECK(loads.table.load(17, 1) == doctest::Approx(0.5));
  CHECK(loads.besides.value == doctest::Approx(0.1));
  CHECK(loads.repeats == 1);
  const ProfileLoads longer = loads_of_profile(profile({1, 0.5}, 100'000), 250);
  CHECK(longer.table.iterations() == 250);
  CHECK(longer.repeats == doctest::Approx(400));
}

TEST_CASE("iterations differ as the phases' variances say") {
  Profile varied = profile({1, 0.5}, 400);
  varied.rank_records[1].phases[0].variance_s2 = 0.01;
  const ProfileLoads loads = loads_of_profile(varied);
  double squares = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    CHECK(loads.table.load(i, 0) == doctest::Approx(1));
    squares += (loads.table.load(i, 1) - 0.5) * (loads.table.load(i, 1) - 0.5);
  }
  CHECK(squares / 400 == doctest::Approx(0.01).epsilon(0.2));
}

TEST_CASE("a profile that is cut short, or has no phases, says nothing of loads") {
  Profile cut = profile({1, 0.5}, 10);
  cut.complete = false;
  CHECK_THROWS_AS(loads_of_profile(cut), Error);
  Profile bare = profile({1, 0.5}, 10);
  for (RankRecord& record : bare.rank_records) record.phases.clear();
  CHECK_THROWS_AS(loads_of_profile(bare), Error);
}

TEST_CASE(
    "a study compares what there is with clocks by core, by package, regrouped, and even work") {
  const ProfileLoads loads = loads_of_profile(profile({1, 0.4, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4}, 300));
  const BalanceStudy study = study_balancing(loads.table, hardware(), loads.besides, {});
  CHECK(study.imbalance == doctest::Approx(2.5));
  CHECK(study.efficiency == doctest::Approx(4.3 / 8));
  CHECK(row(study, "none").saved == 0);
  const double fine = row(study, "fg").saved;
  CHECK(fine > 0.3);
  CHECK(row(study, "cg").saved < fine);
  CHECK(row(study, "cg_regrouped").saved > row(study, "cg").saved + 0.05);
  CHECK(row(study, "cg_regrouped").saved <= fine);
  CHECK(row(study, "cg_replaced").saved >= row(study, "cg_regrouped").saved - 0.01);
  CHECK(row(study, "even").slowdown < -0.3);
  for (const BalanceRow& one : study.rows) CHECK(one.slowdown < 0.001);
}

TEST_CASE("a table of objects is distributed by time balancers") {
  LoadTable table;
  table.processors = 2;
  table.has_objects = true;
  table.processor_of = {0, 0, 0, 1};
  for (int i = 0; i < 100; ++i) table.loads.insert(table.loads.end(), {1, 1, 1, 1});
  const BalanceStudy study = study_balancing(table, hardware(), {}, {});
  CHECK(row(study, "greedy").slowdown < -0.28);
  CHECK(row(study, "refine_fg").outcome.moved_objects == 1);
}

TEST_CASE("rows of one table look at the loads after the same iterations") {
  LoadTable table;
  table.processors = 2;
  table.has_objects = true;
  table.processor_of = {0, 0, 0, 1};
  for (int i = 0; i < 40; ++i) table.loads.insert(table.loads.end(), {1, 1, 1, 1});
  const BalanceStudy study = study_balancing(table, hardware(), {}, {});
  // Four iterations of three, and 36 of two.
  for (const char* key : {"greedy", "greedy_fg", "refine", "refine_fg"})
    CHECK(row(study, key).outcome.time.value == doctest::Approx(4 * 3 + 36 * 2));
}

TEST_CASE("clocks for each core save no less than one for each package, whose they can be") {
  // The rank that all wait for is another one after each 45 iterations.
  LoadTable table;
  table.processors = 16;
  for (std::uint32_t rank = 0; rank < 16; ++rank) table.processor_of.push_back(rank);
  for (std::uint32_t i = 0; i < 400; ++i)
    for (std::uint32_t rank = 0; rank < 16; ++rank)
      table.loads.push_back(rank == i / 45 * 3 % 16 ? 1 : 0.66 + 0.015 * (rank * 11 % 16));
  const BalanceHardware xeon = balance_hardware(
      load_machine(std::filesystem::path(HUDDLE_MACHINES_FOLDER) / "xeon-x5560.json"));
  const BalanceStudy study = study_balancing(table, xeon, {}, {});
  CHECK(row(study, "fg").as_packages);
  for (const char* key : {"cg", "cg_regrouped", "cg_replaced"})
    CHECK(row(study, "fg").saved >= row(study, key).saved);
  CHECK(row(study, "fg").outcome.moved_ranks == 0);
  CHECK(row(study, "fg").saved > 0.05);
  CHECK_FALSE(study.changes.are_faster_than_looks());
}

TEST_CASE("a study says how much of a table its balancers have to see before they act") {
  const ProfileLoads loads = loads_of_profile(profile({1, 0.4, 0.9, 0.4, 0.4, 0.4, 0.4, 0.4}, 300));
  const BalanceStudy study = study_balancing(loads.table, hardware(), loads.besides, {});
  CHECK(row(study, "none").first_acts_after == 0);
  CHECK(row(study, "even").first_acts_after == 0);
  CHECK(row(study, "fg").first_acts_after == 4);
  CHECK(row(study, "cg").first_acts_after == 4);
  CHECK(row(study, "cg_regrouped").first_acts_after == 14);
}

TEST_CASE("loads that change faster than looks are seen, and what it would cost to follow them") {
  LoadTable table;
  table.processors = 4;
  table.processor_of = {0, 1, 2, 3};
  for (std::uint32_t i = 0; i < 204; ++i)
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      table.loads.push_back(rank == i / 4 % 4 ? 1 : 0.5);
  const BalanceStudy fast = study_balancing(table, hardware(), {}, {});
  CHECK(fast.changes.are_faster_than_looks());
  CHECK(fast.changes.cost_of_following > 0.04);
  CHECK(row(fast, "fg").slowdown < 0.05);
  // All of them compute 5 s of each 8 that they could.
  CHECK(fast.efficiency == doctest::Approx(0.625));
  CHECK(row(fast, "even").slowdown == doctest::Approx(0.625 - 1));
  std::ranges::fill(table.loads, 1);
  CHECK(study_balancing(table, hardware(), {}, {}).changes.unforeseen == 0);
}

TEST_CASE("a rank without objects waits like any other, and has the least clock") {
  LoadTable table;
  table.processors = 2;
  table.has_objects = true;
  table.processor_of = {0, 0};
  for (int i = 0; i < 40; ++i) table.loads.insert(table.loads.end(), {1, 1});
  const BalanceStudy study = study_balancing(table, hardware(), {}, {});
  CHECK(std::isinf(study.imbalance));
  CHECK(study.efficiency == doctest::Approx(0.5));
  CHECK(row(study, "none").outcome.energy.value == doctest::Approx(2 * 20 * 80));
  CHECK(row(study, "fg").outcome.energy.value == doctest::Approx(20 * 80 + 20 * 8 + 5 * 72));
  CHECK(row(study, "greedy").outcome.time.value == doctest::Approx(4 * 2 + 36));
}

}  // namespace huddle::balance
