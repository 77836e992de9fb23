#include "aggregator/efficiency/run_efficiency.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "profiles/formats/profile/profile.hpp"
#include "tests/aggregator/efficiency/made_up_runs.hpp"

namespace huddle::efficiency {
namespace {

using doctest::Approx;

PhaseRecord phase_of(std::uint64_t group, double computation_s, double delimiter_s) {
  PhaseRecord phase;
  phase.group = group;
  phase.count = 1;
  phase.mean = phase.shortest = phase.longest = {computation_s};
  phase.delimiter_time = {delimiter_s};
  return phase;
}

}  // namespace

TEST_CASE("a rank that computes twice as long as the other three leaves a load balance of 5/8") {
  const auto run = efficiency_of(run_with_loads(10, {8, 4, 4, 4}));
  REQUIRE(run);
  CHECK(run->whole.mpi.load_balance == Approx(5.0 / 8));
  CHECK(run->whole.mpi.communication == Approx(0.8));
  CHECK(run->whole.parallel() == Approx(0.5));
  CHECK_FALSE(run->hybrid);
  CHECK(run->useful == std::optional(Seconds{20}));
  CHECK(run->by_rank[0].mpi == Approx(0.8));
  CHECK(run->by_rank[3].mpi == Approx(0.4));
}

TEST_CASE("the run's time is that of the rank that ends last") {
  Profile profile = run_with_loads(10, {8, 8});
  profile.rank_records[1].run_time = {9};
  profile.rank_records[1].mpi_time = {1};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->elapsed == Seconds{10});
  CHECK(run->whole.mpi.load_balance == Approx(1));
  CHECK(run->whole.mpi.communication == Approx(0.8));
}

TEST_CASE("a profile without times has no efficiency") {
  CHECK_FALSE(efficiency_of(run_with_loads(0, {0, 0})));
  CHECK_FALSE(efficiency_of(Profile{}));
}

TEST_CASE("a run that never leaves MPI is balanced and communicates all the time") {
  const auto run = efficiency_of(run_with_loads(10, {0, 0}));
  REQUIRE(run);
  CHECK(run->whole.mpi.load_balance == 1);
  CHECK(run->whole.mpi.communication == 0);
  CHECK(run->errors.load_balance == 0);
}

TEST_CASE("load balance is a product of that across nodes and that within them") {
  Profile profile = run_with_loads(10, {8, 4, 3, 3});
  profile.rank_records[2].node = profile.rank_records[3].node = "n1";
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->balance);
  CHECK(run->balance->across == Approx(4.5 / 6));
  CHECK(run->balance->within == Approx(6.0 / 8));
  CHECK(run->balance->across * run->balance->within == Approx(run->whole.mpi.load_balance));
  REQUIRE(run->by_node.size() == 2);
  CHECK(run->by_node[0].efficiency.mpi.load_balance == Approx(0.75));
  CHECK(run->by_node[1].efficiency.mpi.load_balance == Approx(1));
  CHECK(run->by_node[1].efficiency.mpi.communication == Approx(0.3));
}

TEST_CASE("nodes of which one is not known are left out") {
  Profile profile = run_with_loads(10, {8, 4});
  profile.rank_records[1].node.clear();
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->by_node.empty());
  CHECK_FALSE(run->balance);
}

// One thread works for 2 s, then a team of two for 6 s, of which one thread works for 5 and the
// other for 3; the rank is in MPI for 2 of 10 s.
TEST_CASE("a hybrid program's efficiency is MPI's times OpenMP's, with what each loses by") {
  Profile profile = run_with_loads(10, {8, 8});
  for (RankRecord& record : profile.rank_records)
    record.openmp_regions = {region_of(2, 1, 6, 5, 4)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->hybrid);
  CHECK(run->threads == 4);
  CHECK(run->whole.mpi.parallel() == Approx(0.8));
  REQUIRE(run->whole.openmp);
  // Of 16 thread seconds of a rank outside MPI 10 are useful, 2 lost beside serial work, 2 by
  // imbalance and 2 by scheduling.
  CHECK(run->whole.openmp->parallel() == Approx(10.0 / 16));
  CHECK(run->whole.openmp->serialisation == Approx(10.0 / 12));
  CHECK(run->whole.openmp->load_balance == Approx(12.0 / 14));
  CHECK(run->whole.openmp->scheduling == Approx(14.0 / 16));
  CHECK(run->whole.parallel() == Approx(20.0 / 40));
  REQUIRE(run->useful);
  CHECK(run->useful->value == Approx(20));
  CHECK(run->openmp_unknown.empty());
}

TEST_CASE("threads that are in no team while a region runs are lost to serialisation") {
  Profile profile = run_with_loads(10, {10});
  profile.rank_records[0].openmp_regions = {region_of(2, 5, 1, 1, 1), region_of(4, 5, 1, 1, 1)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->whole.openmp);
  CHECK(run->threads == 4);
  CHECK(run->whole.openmp->serialisation == Approx(30.0 / 40));
  CHECK(run->whole.openmp->load_balance == Approx(1));
}

TEST_CASE("OpenMP's efficiency is not shown where the work of threads was not looked at") {
  Profile profile = run_with_loads(10, {8});
  profile.rank_records[0].openmp_regions = {region_of(2, 1, 6, 5, 4)};
  profile.rank_records[0].openmp_regions[0].observed_passes = 0;
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->hybrid);
  CHECK_FALSE(run->whole.openmp);
  CHECK_FALSE(run->useful);
  CHECK(run->openmp_unknown == "the work of threads was looked at in 0 % of the time in regions");
  CHECK(run->whole.mpi.parallel() == Approx(0.8));
}

TEST_CASE("a small part of the regions that was not looked at is taken to be like the rest") {
  Profile profile = run_with_loads(10, {10});
  OpenMpRegionRecord unknown = region_of(2, 1, 0.5, 0, 0);
  unknown.observed_passes = 0;
  profile.rank_records[0].openmp_regions = {region_of(2, 1, 9.5, 9.5, 4.75), unknown};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->whole.openmp);
  CHECK(run->whole.openmp->load_balance == Approx(0.5));
}

TEST_CASE("regions that overlap say nothing on OpenMP's efficiency") {
  Profile profile = run_with_loads(10, {8});
  profile.rank_records[0].openmp_regions = {region_of(2, 1, 7, 7, 7), region_of(2, 1, 7, 7, 7)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK_FALSE(run->whole.openmp);
  CHECK(run->openmp_unknown.starts_with("regions took longer than their rank was outside MPI"));
}

TEST_CASE("a program whose teams have one thread each is no hybrid one") {
  Profile profile = run_with_loads(10, {8});
  profile.rank_records[0].openmp_regions = {region_of(1, 1, 6, 0, 0)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK_FALSE(run->hybrid);
  CHECK_FALSE(run->whole.openmp);
  CHECK(run->whole.parallel() == Approx(0.8));
}

TEST_CASE("the phase that loses most comes first, and is judged by itself") {
  Profile profile = run_with_loads(10, {8, 4});
  profile.shared.phase_groups = {{1, "init", "barrier"}, {2, "barrier", "allreduce"}};
  profile.rank_records[0].phases = {phase_of(1, 2, 0), phase_of(2, 6, 0)};
  profile.rank_records[1].phases = {phase_of(1, 1, 1), phase_of(2, 3, 3)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->by_phase.size() == 2);
  const PhaseEfficiency& phase = run->by_phase[0];
  CHECK(phase.group.end == "allreduce");
  CHECK(phase.ranks == 2);
  CHECK(phase.elapsed == Seconds{6});
  CHECK(phase.efficiency.mpi.load_balance == Approx(0.75));
  CHECK(phase.efficiency.mpi.communication == Approx(1));
  CHECK(phase.lost.value == Approx(3));
  CHECK(phase.lost_share == Approx(3.0 / 20));
  CHECK(phase.slowest == Rank{0});
  CHECK(phase.slowest_ratio == Approx(6 / 4.5));
}

TEST_CASE("a hybrid program's phase without regions leaves all threads but one idle") {
  Profile profile = run_with_loads(10, {8});
  profile.rank_records[0].phases = {phase_of(1, 4, 0), phase_of(2, 4, 0)};
  profile.rank_records[0].openmp_regions = {region_of(4, 1, 4, 4, 4)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->by_phase[0].group.id == 2);
  REQUIRE(run->by_phase[0].efficiency.openmp);
  CHECK(run->by_phase[0].efficiency.openmp->serialisation == Approx(0.25));
  CHECK(run->by_phase[0].lost.value == Approx(12));
}

TEST_CASE("a phase loses by OpenMP, too") {
  Profile profile = run_with_loads(10, {8});
  profile.rank_records[0].phases = {phase_of(1, 8, 2)};
  profile.rank_records[0].openmp_regions = {region_of(2, 1, 8, 8, 4)};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  REQUIRE(run->by_phase.size() == 1);
  CHECK(run->by_phase[0].lost.value == Approx(2 * 2 + 8));
  REQUIRE(run->by_phase[0].efficiency.openmp);
  CHECK(run->by_phase[0].efficiency.openmp->load_balance == Approx(0.5));
}

TEST_CASE("efficiencies are exact where all calls were timed") {
  Profile profile = run_with_loads(10, {8, 8});
  for (RankRecord& record : profile.rank_records) record.calls = {{"allreduce", 1000, 1000, {2}}};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->estimated_share == 0);
  CHECK(run->errors.parallel == 0);
}

// 128,000 calls of which 1,000 were drawn: the estimate's error is sqrt(4/3 / 1000) of it.
TEST_CASE("calls that were timed by sample make efficiencies uncertain, the less the more ranks") {
  Profile profile = run_with_loads(10, {8, 8, 8, 8});
  for (RankRecord& record : profile.rank_records)
    record.calls = {{"allreduce", 100, 100, {0.5}}, {"isend", 128'000, 1'000, {1.5}}};
  const auto run = efficiency_of(profile);
  REQUIRE(run);
  CHECK(run->estimated_share == Approx(0.75).epsilon(0.01));
  const double of_rank = 1.5 * std::sqrt(4.0 / 3 / 1000) / 10;
  CHECK(run->errors.communication == Approx(of_rank).epsilon(0.01));
  CHECK(run->errors.parallel == Approx(of_rank / 2).epsilon(0.01));
  CHECK(run->errors.load_balance > run->errors.communication);
}

}  // namespace huddle::efficiency
