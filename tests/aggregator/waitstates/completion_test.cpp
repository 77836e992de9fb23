#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

using Completions = std::map<std::tuple<std::string, std::uint32_t, std::string>, std::uint64_t>;

Completions completions_in(const WaitReport& report) {
  Completions found;
  for (const PathCompletion& one : report.completions)
    if (one.ticks > 0)
      found[{std::string(name_of(one.kind)), one.location, path_name(report, one.call_path)}] +=
          one.ticks;
  return found;
}

Event file_access() {
  Event event = collective(Collective::kNone);
  event.kind = EventKind::kFileCollective;
  return event;
}

}  // namespace

TEST_CASE("who leaves a barrier or an N x N operation later than the first one completes it") {
  MemoryTrace trace(3);
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    trace.call(rank, 100 + 50 * rank, 210 + 3 * rank, "MPI_Barrier",
               {collective(Collective::kBarrier)});
    trace.call(rank, 300, 400 + 7 * rank, "MPI_Allreduce", {collective(Collective::kAllToAll)});
    trace.call(rank, 500, 510 + 7 * rank, "MPI_Bcast", {collective(Collective::kFromRoot, 0)});
  }
  const WaitReport report = report_of(trace);
  CHECK(completions_in(report) == Completions{{{"barrier_completion", 1, "MPI_Barrier"}, 3},
                                              {{"barrier_completion", 2, "MPI_Barrier"}, 6},
                                              {{"nxn_completion", 1, "MPI_Allreduce"}, 7},
                                              {{"nxn_completion", 2, "MPI_Allreduce"}, 14}});
  // It is no waiting.
  CHECK(waits_in(report) == FoundWaits{{{"wait_at_barrier", 0, "MPI_Barrier"}, 100},
                                       {{"wait_at_barrier", 1, "MPI_Barrier"}, 50}});
}

TEST_CASE("what a member waits for the last one is no completion, also where others left earlier") {
  MemoryTrace trace(3);
  const std::uint64_t enters[] = {0, 40, 90};
  const std::uint64_t leaves[] = {100, 50, 110};
  for (const std::uint32_t rank : {0U, 1U, 2U})
    trace.call(rank, enters[rank], leaves[rank], "MPI_Alltoall",
               {collective(Collective::kAllToAll)});
  const WaitReport report = report_of(trace);
  CHECK(completions_in(report) == Completions{{{"nxn_completion", 0, "MPI_Alltoall"}, 10},
                                              {{"nxn_completion", 2, "MPI_Alltoall"}, 20}});
  CHECK(waits_in(report).at({"wait_at_nxn", 0, "MPI_Alltoall"}) == 90);
}

TEST_CASE("completion is not known where a member never leaves") {
  MemoryTrace trace(2);
  trace.call(0, 100, 210, "MPI_Barrier", {collective(Collective::kBarrier)});
  trace.call(1, 100, 220, "MPI_Barrier", {collective(Collective::kBarrier)});
  trace.call(0, 300, 320, "MPI_Barrier", {collective(Collective::kBarrier)});
  const WaitReport report = report_of(trace);
  REQUIRE(report.completions.size() == 2);
  CHECK(report.completions[0].count == 1);
  CHECK(report.completions[1].ticks == 10);
}

TEST_CASE(
    "members wait for the last one at a collective access to a file, unless they go on alone") {
  MemoryTrace trace(3);
  const std::uint64_t enters[] = {100, 150, 250};
  const std::uint64_t leaves[] = {300, 180, 310};
  for (const std::uint32_t rank : {0U, 1U, 2U})
    trace.call(rank, enters[rank], leaves[rank], "MPI_File_write_all", {file_access()});
  const WaitReport report = report_of(trace);
  CHECK(waits_in(report) == FoundWaits{{{"wait_at_file_access", 0, "MPI_File_write_all"}, 150}});
  CHECK(report.completions.empty());
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
