#include "aggregator/waitstates/replay/wait_sums.hpp"

#include <doctest/doctest.h>

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

const WaitSums& of(const ReportSums& sums, WaitPattern pattern) {
  return sums.patterns[static_cast<std::size_t>(pattern)];
}

TEST_CASE("a report adds up by pattern, call path and location") {
  const ReportSums sums = sums_of(small_report());
  CHECK(of(sums, WaitPattern::kLateSender).count == 30);
  CHECK(of(sums, WaitPattern::kLateSender).ticks == 1440 * kMs);
  CHECK(of(sums, WaitPattern::kLateSender).longest == 48 * kMs);
  CHECK(of(sums, WaitPattern::kWaitAtBarrier).ticks == (190 + 390 + 590) * kMs);
  CHECK(of(sums, WaitPattern::kEarlyScan).count == 0);
  CHECK(sums.waits.ticks == 2610 * kMs);
  CHECK(sums.waits.energy.spent_nj == 34'191'000'000);  // 2.61 s x 13.1 W
  CHECK(sums.ticks == 8000 * kMs);
  CHECK(sums.mpi == (10 + 3 * 500 + 4 * 20 + 10 + 200 + 400 + 600) * kMs);
  CHECK(sums.ranks == 4);
  CHECK(sums.nodes == 2);
  CHECK(sums.exclusive[0].waits.count == 0);
  CHECK(sums.inclusive[0].waits.ticks == 2610 * kMs);
  CHECK(sums.inclusive[0].ticks == 8000 * kMs);
  CHECK(sums.inclusive[1].waits.ticks == 1440 * kMs);
  CHECK(sums.locations[0].waits.count == 0);
  CHECK(sums.locations[3].waits.ticks == 1070 * kMs);
  CHECK(sums.locations[3].mpi == 1120 * kMs);
  CHECK(foremost(sums.locations[3].by_pattern) ==
        static_cast<std::size_t>(WaitPattern::kWaitAtBarrier));
  CHECK(foremost(sums.locations[0].by_pattern) == kWaitPatterns);
}

TEST_CASE("what MPI calls is time in MPI") {
  ReportMaker maker(1, 1, 1000);
  const std::uint32_t program = maker.path(CallPath::kRoot, "main");
  const std::uint32_t reduce = maker.path(program, "MPI_Reduce", true);
  const std::uint32_t operation = maker.path(reduce, "my_operation");
  maker.time(program, 0, 1, 600);
  maker.time(reduce, 0, 1, 300);
  maker.time(operation, 0, 1, 100);
  CHECK(sums_of(maker.finish()).mpi == 400);
}

TEST_CASE("an entry of what the report does not have is refused") {
  WaitReport report = small_report();
  report.times[0].location = 17;
  CHECK(error_of([&] { sums_of(report); }) ==
        "the report of made-up/traces.otf2 has an entry of a call path or a location that it does "
        "not have");
}

TEST_CASE("a sound trace has no remarks, an odd one a sentence for each kind") {
  WaitReport report;
  CHECK(remarks_on(report).empty());
  report.anomalies.receives_without_send = 1;
  report.anomalies.unfinished_collectives = 2;
  report.anomalies.clock_violations = 1;
  report.anomalies.largest_clock_violation = 1'500'000;
  report.remarks = {"The reader's own."};
  CHECK(remarks_on(report) ==
        std::vector<std::string>{
            "1 message received that nobody sends in this trace: whether anybody waited there is "
            "not known.",
            "2 collective operations that not all members come to: no waiting is counted there.",
            "1 message that arrived before it was sent, by up to 0.0015 s: the clocks differ; the "
            "receiver's was set forward, and times near it are no better than that.",
            "The reader's own."});
}

}  // namespace
}  // namespace huddle::waitstates
