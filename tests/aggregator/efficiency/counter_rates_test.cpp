#include "aggregator/efficiency/counter_rates.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "profiles/formats/profile/profile.hpp"
#include "tests/aggregator/efficiency/made_up_runs.hpp"

namespace huddle::efficiency {
namespace {

using doctest::Approx;

// Two ranks that compute for 8 of 10 s in one phase, of which half of the passes were counted.
Profile counted_run() {
  Profile profile = run_with_loads(10, {8, 8});
  for (RankRecord& record : profile.rank_records) {
    record.events = {"instructions", "cycles", "cache-misses"};
    record.event_totals = {20e9, 20e9, 1e8};
    PhaseRecord& phase = record.phases.emplace_back();
    phase.group = 1;
    phase.count = 100;
    phase.counted = 50;
    phase.mean = {0.08};
    phase.counts = {12e9, 8e9, 4e7};
  }
  return profile;
}

}  // namespace

TEST_CASE("rates are of the whole run and all ranks") {
  const CounterRates rates = counter_rates_of(counted_run());
  REQUIRE(rates.ipc);
  REQUIRE(rates.memory);
  CHECK(*rates.ipc == Approx(1));
  CHECK(rates.memory->value == Approx(2 * 1e8 * 64 / 10));
}

TEST_CASE("rates of a run in which a rank counted nothing are not known") {
  Profile profile = counted_run();
  profile.rank_records[1].event_totals.clear();
  const CounterRates rates = counter_rates_of(profile);
  CHECK_FALSE(rates.ipc);
  CHECK_FALSE(rates.memory);
}

TEST_CASE("computation's counts are those of its phases, for all passes") {
  const auto counts = computation_counts_of(counted_run());
  REQUIRE(counts);
  CHECK(counts->instructions == Approx(2 * 24e9));
  CHECK(counts->cycles == Approx(2 * 16e9));
  CHECK(counts->time.value == Approx(16));
}

TEST_CASE("what little was not counted is taken to be like the rest") {
  Profile profile = counted_run();
  for (RankRecord& record : profile.rank_records) record.mpi_time = {1};
  const auto counts = computation_counts_of(profile);
  REQUIRE(counts);
  CHECK(counts->instructions == Approx(2 * 24e9 * 9 / 8));
}

TEST_CASE("computation's counts are not known where they could be others'") {
  Profile seldom = counted_run();
  for (RankRecord& record : seldom.rank_records) record.phases[0].mean = {0.02};
  CHECK_FALSE(computation_counts_of(seldom));
  Profile on_one_rank = counted_run();
  on_one_rank.rank_records[1].phases.clear();
  CHECK_FALSE(computation_counts_of(on_one_rank));
  Profile spinning = counted_run();
  for (RankRecord& record : spinning.rank_records) record.phases[0].mpi_time = {2};
  CHECK_FALSE(computation_counts_of(spinning));
  Profile hybrid = counted_run();
  hybrid.rank_records[0].openmp_regions = {region_of(2, 1, 6, 5, 4)};
  CHECK_FALSE(computation_counts_of(hybrid));
}

}  // namespace huddle::efficiency
