#include "aggregator/waitstates/criticalpath/delays.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

// Short-term and long-term cost of a call path on a rank.
std::pair<double, double> cost_of(const DelayReport& report, std::uint32_t path,
                                  std::uint32_t rank) {
  for (const DelayCost& cost : report.costs)
    if (cost.call_path == path && cost.rank == rank) return {cost.short_term, cost.long_term};
  return {0, 0};
}

double sum_of(const DelayReport& report) {
  double sum = 0;
  for (const DelayCost& cost : report.costs) sum += cost.short_term + cost.long_term;
  return sum;
}

TEST_CASE("who comes late to a barrier is late by what it does longer than those who wait") {
  LogBuilder builder(2);
  builder.computed(0, 10, "main/read");
  builder.computed(0, 30, "main/work");
  builder.call(0, 30, 105, "main/work", "main/MPI_Barrier");
  builder.computed(1, 40, "main/read");   // 30 longer
  builder.computed(1, 100, "main/work");  // 40 longer
  builder.call(1, 100, 105, "main/work", "main/MPI_Barrier");
  builder.barrier({{0, 2}, {1, 2}});
  builder.span(0, 0, 105);
  builder.span(1, 0, 105);
  const DelayReport delays = delays_of(builder.build());
  CHECK(delays.waiting == 70);
  CHECK(delays.costs.size() == 2);
  const auto [read, none] = cost_of(delays, builder.path("main/read"), 1);
  CHECK(read == doctest::Approx(30));
  CHECK(none == 0);
  const auto [work, nothing] = cost_of(delays, builder.path("main/work"), 1);
  CHECK(work == doctest::Approx(40));
  CHECK(nothing == 0);
}

TEST_CASE("a delay goes on from rank to rank through those who wait for it") {
  // Rank 0 works until 50, and sends to 1, which then works 10 more and sends to 2.
  LogBuilder builder(3);
  builder.call(0, 50, 51, "main/work", "main/MPI_Send");
  builder.call(1, 5, 50, "main", "main/MPI_Recv");
  builder.call(1, 60, 61, "main/work", "main/MPI_Send");
  builder.call(2, 5, 60, "main", "main/MPI_Recv");
  builder.message(0, 0, 1, 0);
  builder.message(1, 1, 2, 0);
  for (std::uint32_t rank = 0; rank < 3; ++rank) builder.span(rank, 0, 61);
  const DelayReport delays = delays_of(builder.build());
  CHECK(delays.waiting == 45 + 55);
  // Rank 2 waits 55 for rank 1, which worked 10 and waited 45: 10 parts of 55 are its own.
  const std::uint32_t work = builder.path("main/work");
  const auto [own, none] = cost_of(delays, work, 1);
  CHECK(own == doctest::Approx(10));
  CHECK(none == 0);
  // The other 45 are passed on to rank 0, beside the 45 that rank 1 waited for it.
  const auto [direct, propagated] = cost_of(delays, work, 0);
  CHECK(direct == doctest::Approx(45));
  CHECK(propagated == doctest::Approx(45));
  CHECK(sum_of(delays) == doctest::Approx(100));
}

TEST_CASE("what was before two ranks met counts no more") {
  // Rank 1 is late to the first barrier, and rank 0 to the second.
  LogBuilder builder(2);
  builder.call(0, 10, 52, "main/first", "main/MPI_Barrier");
  builder.call(1, 50, 52, "main/first", "main/MPI_Barrier");
  builder.barrier({{0, 0}, {1, 0}});
  builder.call(0, 72, 80, "main/second", "main/MPI_Barrier");
  builder.call(1, 60, 80, "main/second", "main/MPI_Barrier");
  builder.barrier({{0, 1}, {1, 1}});
  builder.span(0, 0, 80);
  builder.span(1, 0, 80);
  const DelayReport delays = delays_of(builder.build());
  CHECK(delays.waiting == 40 + 12);
  CHECK(delays.costs.size() == 2);
  CHECK(cost_of(delays, builder.path("main/first"), 1).first == doctest::Approx(40));
  CHECK(cost_of(delays, builder.path("main/second"), 0).first == doctest::Approx(12));
}

TEST_CASE("where ranks meet by messages only, they are compared from the last message on") {
  LogBuilder builder(2);
  builder.call(0, 10, 11, "main/send", "main/MPI_Send");
  builder.call(1, 3, 12, "main", "main/MPI_Recv");
  builder.message(0, 0, 1, 0);
  builder.computed(0, 20, "main/pack");
  builder.call(0, 40, 41, "main/send", "main/MPI_Send");
  builder.call(1, 15, 42, "main", "main/MPI_Recv");
  builder.message(0, 2, 1, 1);
  builder.span(0, 0, 42);
  builder.span(1, 0, 42);
  const DelayReport delays = delays_of(builder.build());
  CHECK(delays.waiting == 7 + 25);
  // In the second interval rank 0 packs 9 and sends 20 of 29: of 25 ticks that is 25 * 9 / 29.
  CHECK(cost_of(delays, builder.path("main/pack"), 0).first == doctest::Approx(25.0 * 9 / 29));
  CHECK(cost_of(delays, builder.path("main/send"), 0).first == doctest::Approx(7 + 25.0 * 20 / 29));
}

TEST_CASE("costs add up to the waiting, whatever the program does") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const ActivityLog log = RandomProgram(2 + seed % 7, 60, seed).log();
    const DelayReport delays = delays_of(log);
    const CriticalPath path = critical_path_of(log);
    CHECK(delays.waiting == path.waiting);
    CHECK(sum_of(delays) == doctest::Approx(static_cast<double>(path.waiting)));
    for (const DelayCost& cost : delays.costs) {
      CHECK(cost.short_term >= 0);
      CHECK(cost.long_term >= 0);
    }
  }
}

}  // namespace
}  // namespace huddle::waitstates
