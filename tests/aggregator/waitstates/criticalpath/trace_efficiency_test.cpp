#include "aggregator/waitstates/criticalpath/trace_efficiency.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

// Rank 0 computes for 40, rank 1 for 100; then they meet, which takes 5.
LogBuilder unequal_ranks() {
  LogBuilder builder(2);
  builder.call(0, 40, 105);
  builder.call(1, 100, 105);
  builder.barrier({{0, 0}, {1, 0}});
  builder.span(0, 0, 105);
  builder.span(1, 0, 105);
  return builder;
}

TEST_CASE(
    "ranks that wait for the slowest lose by load balance, and what meeting takes is transfer") {
  const TraceEfficiency found = trace_efficiency_of(unequal_ranks().build());
  CHECK(found.run_time == 105);
  CHECK(found.ideal_run_time == 100);
  CHECK(found.load_balance() == doctest::Approx(0.7));
  CHECK(found.serialisation() == doctest::Approx(1));
  CHECK(found.transfer() == doctest::Approx(100.0 / 105));
  CHECK(found.parallel() == doctest::Approx(140.0 / 210));
}

TEST_CASE("ranks that compute one after the other are balanced, and serialised") {
  LogBuilder builder(2);
  builder.call(0, 100, 110);  // sends
  builder.call(1, 0, 120);    // receives
  builder.message(0, 0, 1, 0);
  builder.call(0, 110, 240);
  builder.call(1, 220, 240);
  builder.barrier({{0, 1}, {1, 1}});
  builder.span(0, 0, 240);
  builder.span(1, 0, 240);
  const TraceEfficiency found = trace_efficiency_of(builder.build());
  CHECK(found.load_balance() == doctest::Approx(1));
  CHECK(found.run_time == 240);
  CHECK(found.ideal_run_time == 200);
  CHECK(found.serialisation() == doctest::Approx(0.5));
  CHECK(found.transfer() == doctest::Approx(200.0 / 240));
}

TEST_CASE("the time of MPI_Init and MPI_Finalize is not the program's") {
  LogBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.call(rank, 0, 1000, "main", "main/MPI_Init");
    builder.call(rank, rank == 0 ? 1050 : 1100, 1110, "main", "main/MPI_Barrier");
    builder.call(rank, 1110, 2000, "main", "main/MPI_Finalize");
    builder.span(rank, 0, 2000);
  }
  builder.barrier({{0, 1}, {1, 1}});
  const TraceEfficiency found = trace_efficiency_of(builder.build());
  CHECK(found.run_time == 110);
  CHECK(found.ideal_run_time == 100);
  CHECK(found.load_balance() == doctest::Approx(0.75));
}

TEST_CASE("a trace without anything in it has lost nothing") {
  CHECK(trace_efficiency_of(LogBuilder(2).build()).parallel() == doctest::Approx(1));
}

TEST_CASE("efficiencies are shares, whatever ranks wait for") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const TraceEfficiency found = trace_efficiency_of(RandomProgram(2 + seed % 7, 80, seed).log());
    CAPTURE(seed);
    CHECK(found.longest_computation <= found.ideal_run_time);
    CHECK(found.ideal_run_time <= found.run_time);
    CHECK(found.parallel() ==
          doctest::Approx(found.mean_computation / static_cast<double>(found.run_time)));
  }
}

}  // namespace
}  // namespace huddle::waitstates
