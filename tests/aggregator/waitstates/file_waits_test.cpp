#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

traces::Event file_access() {
  traces::Event event = waitstates::collective(traces::Collective::kNone);
  event.kind = traces::EventKind::kFileCollective;
  return event;
}

}  // namespace

TEST_CASE(
    "members wait for the last one at a collective access to a file, unless they go on alone") {
  waitstates::MemoryTrace trace(3);
  const std::uint64_t enters[] = {100, 150, 250};
  const std::uint64_t leaves[] = {300, 180, 310};
  for (const std::uint32_t rank : {0U, 1U, 2U})
    trace.call(rank, enters[rank], leaves[rank], "MPI_File_write_all", {file_access()});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_file_access", 0, "MPI_File_write_all"}, 150}});
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

TEST_CASE("accesses to files are counted apart from a communicator's other collectives") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 210, "MPI_File_read_all", {file_access()});
  trace.call(1, 200, 211, "MPI_File_read_all", {file_access()});
  trace.call(0, 300, 410, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  trace.call(1, 400, 411, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_file_access", 0, "MPI_File_read_all"}, 100},
                               {{"wait_at_barrier", 0, "MPI_Barrier"}, 100}});
}
