#include "aggregator/balance/balance_study.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

}  // namespace huddle::balance
