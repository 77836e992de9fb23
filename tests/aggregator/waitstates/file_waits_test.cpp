#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

Event file_access() {
  Event event = collective(Collective::kNone);
  event.kind = EventKind::kFileCollective;
  return event;
}

}  // namespace

TEST_CASE(
    "members wait for the last one at a collective access to a file, unless they go on alone") {
  MemoryTrace trace(3);
  const std::uint64_t enters[] = {100, 150, 250};
  const std::uint64_t leaves[] = {300, 180, 310};
  for (const std::uint32_t rank : {0U, 1U, 2U})
    trace.call(rank, enters[rank], leaves[rank], "MPI_File_write_all", {file_access()});
  const WaitReport report = report_of(trace);
  CHECK(waits_in(report) == FoundWaits{{{"wait_at_file_access", 0, "MPI_File_write_all"}, 150}});
  CHECK(report.anomalies == TraceAnomalies{});
}

TEST_CASE("accesses to files are counted apart from a communicator's other collectives") {
  MemoryTrace trace(2);
  trace.call(0, 100, 210, "MPI_File_read_all", {file_access()});
  trace.call(1, 200, 211, "MPI_File_read_all", {file_access()});
  trace.call(0, 300, 410, "MPI_Barrier", {collective(Collective::kBarrier)});
  trace.call(1, 400, 411, "MPI_Barrier", {collective(Collective::kBarrier)});
  CHECK(waits_in(report_of(trace)) ==
        FoundWaits{{{"wait_at_file_access", 0, "MPI_File_read_all"}, 100},
                   {{"wait_at_barrier", 0, "MPI_Barrier"}, 100}});
}
