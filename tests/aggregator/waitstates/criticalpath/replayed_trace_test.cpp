// From a trace through its replay to the findings on the run: both count the same.
#include <doctest/doctest.h>

#include <numeric>

#include "aggregator/waitstates/criticalpath/activity_buffer.hpp"
#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/replay/analysis.hpp"
#include "tests/aggregator/waitstates/found_waits.hpp"
#include "tests/aggregator/waitstates/random_program.hpp"

using namespace huddle;

namespace {

struct Replayed {
  std::uint64_t waits = 0;  // as wait states
  waitstates::CriticalPath path;
  std::uint64_t circles = 0;
  std::uint64_t run_time = 0;  // of a replay with nothing changed
};

Replayed replayed(traces::Trace& trace) {
  waitstates::ActivityBuffer buffer;
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.activities = &buffer;
  const waitstates::WaitReport report = waitstates::analyse_wait_states(trace, options);
  const waitstates::ActivityLog log =
      waitstates::make_activity_log(buffer, report, trace.definitions());
  const waitstates::Replay unchanged(log, waitstates::MeasuredTimes());
  const std::uint64_t waits = std::accumulate(
      report.waits.begin(), report.waits.end(), std::uint64_t{0},
      [](std::uint64_t sum, const waitstates::PathWaits& entry) { return sum + entry.ticks; });
  return {waits, waitstates::critical_path_of(log), unchanged.circles(), unchanged.run_time()};
}

// Rank r comes at 100 (r + 1), all leave at 1000 + r.
Replayed one_collective(traces::Collective kind, std::uint32_t root = traces::kNobody) {
  waitstates::MemoryTrace trace(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, 100 * (rank + 1), 1000 + rank, "MPI_Collective",
               {waitstates::collective(kind, root)});
  return replayed(trace);
}

void check(const Replayed& run, std::uint64_t waits) {
  CHECK(run.waits == waits);
  CHECK(run.path.waiting == waits);
  CHECK(run.path.contradictions == 0);
  CHECK(run.circles == 0);
  CHECK(run.run_time == run.path.run_time);
}

}  // namespace

TEST_CASE("a run's wait states are what its critical path calls waiting: barriers") {
  check(one_collective(traces::Collective::kBarrier), 300 + 200 + 100);
}

TEST_CASE("a run's wait states are what its critical path calls waiting: broadcasts") {
  check(one_collective(traces::Collective::kFromRoot, 2), 200 + 100);
}

TEST_CASE("a run's wait states are what its critical path calls waiting: reductions") {
  check(one_collective(traces::Collective::kToRoot, 1), 200);
}

TEST_CASE("a run's wait states are what its critical path calls waiting: scans") {
  waitstates::MemoryTrace trace(4);
  const std::uint64_t enters[] = {400, 100, 200, 300};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, enters[rank], 500, "MPI_Scan",
               {waitstates::collective(traces::Collective::kScan)});
  check(replayed(trace), 300 + 200 + 100);
}

TEST_CASE("a run's wait states are what its critical path calls waiting: messages") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 400, "MPI_Recv", {waitstates::received(1)});
  trace.call(1, 300, 310, "MPI_Send", {waitstates::sent(0)});
  trace.call(1, 400, 900, "MPI_Ssend", {waitstates::sent(0)});
  trace.call(0, 800, 910, "MPI_Recv", {waitstates::received(1)});
  check(replayed(trace), 200 + 400);
}

TEST_CASE("random programs are replayed as they ran") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 1 + static_cast<std::uint32_t>(seed % 7);
    waitstates::MemoryTrace trace = random_trace(program);
    CAPTURE(seed);
    const Replayed run = replayed(trace);
    CHECK(run.path.contradictions == 0);
    CHECK(run.circles == 0);
    CHECK(run.run_time == run.path.run_time);
  }
}
