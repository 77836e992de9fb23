#include "aggregator/predict/computation/predictor.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::predict {
namespace {

ComputationPredictor predictor_of(const std::vector<const Profile*>& runs) {
  return {samples_of_program(runs, small_node()), nullptr, {}};
}

// Eight ranks; rank 3 has half as much again to compute, and rank 5 half.
Profile uneven_run(std::uint32_t ranks_per_node, double slowed = 1) {
  Profile run = run_of(8, ranks_per_node, 100 * slowed);
  for (RankRecord& record : run.rank_records) record.mpi_time = Seconds{100 * slowed};
  for (RankRecord& record : run.rank_records) record.run_time = Seconds{200 * slowed};
  run.rank_records[3].mpi_time = Seconds{50 * slowed};
  run.rank_records[5].mpi_time = Seconds{150 * slowed};
  return run;
}

TEST_CASE("a rank's load is its computation over the mean of ranks that share alike") {
  const Profile run = uneven_run(1);
  const std::vector<double> loads = rank_loads({&run}, small_node(), predictor_of({&run}));
  REQUIRE(loads.size() == 8);
  CHECK(loads[3] == doctest::Approx(1.5));
  CHECK(loads[5] == doctest::Approx(0.5));
  CHECK(loads[0] == doctest::Approx(1));
}

TEST_CASE("loads are of the ranks, whatever slows all of them down on their places") {
  const Profile sparse = uneven_run(1);
  const Profile dense = uneven_run(8, 3);
  const std::vector<double> loads =
      rank_loads({&sparse, &dense}, small_node(), predictor_of({&sparse, &dense}));
  CHECK(loads[3] == doctest::Approx(1.5));
  CHECK(loads[5] == doctest::Approx(0.5));
}

TEST_CASE("where ranks may be anywhere, no load is known") {
  Profile run = uneven_run(8);
  for (RankRecord& record : run.rank_records) record.pus = small_node().cores[0].pus;
  for (RankRecord& record : run.rank_records) record.pus.add(7);
  const std::vector<double> loads = rank_loads({&run}, small_node(), predictor_of({&run}));
  CHECK(loads == std::vector<double>(8, 1.0));
}

}  // namespace
}  // namespace huddle::predict
