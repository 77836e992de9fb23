#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

// Rank r comes to a collective at 100 (r + 1), all leave it at 1000 + r.
waitstates::MemoryTrace one_collective(const std::string& name, traces::Collective kind,
                                       std::uint32_t root = traces::kNobody,
                                       std::uint32_t ranks = 4) {
  waitstates::MemoryTrace trace(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    trace.call(rank, 100 * (rank + 1), 1000 + rank, name, {waitstates::collective(kind, root)});
  return trace;
}

}  // namespace

TEST_CASE("all wait at a barrier until the last one comes") {
  waitstates::MemoryTrace trace = one_collective("MPI_Barrier", traces::Collective::kBarrier);
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 0, "MPI_Barrier"}, 300},
                               {{"wait_at_barrier", 1, "MPI_Barrier"}, 200},
                               {{"wait_at_barrier", 2, "MPI_Barrier"}, 100}});
}

TEST_CASE("all wait at an operation of all with all") {
  waitstates::MemoryTrace trace =
      one_collective("MPI_Allreduce", traces::Collective::kAllToAll, traces::kNobody, 2);
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_nxn", 0, "MPI_Allreduce"}, 100}});
}

TEST_CASE("at a broadcast those wait who come before the root") {
  waitstates::MemoryTrace trace = one_collective("MPI_Bcast", traces::Collective::kFromRoot, 2);
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_broadcast", 0, "MPI_Bcast"}, 200},
                               {{"late_broadcast", 1, "MPI_Bcast"}, 100}});
}

TEST_CASE("at a reduction the root waits for the last of the others") {
  waitstates::MemoryTrace early = one_collective("MPI_Reduce", traces::Collective::kToRoot, 1);
  CHECK(waitstates::waits_in(waitstates::report_of(early)) ==
        waitstates::FoundWaits{{{"early_reduce", 1, "MPI_Reduce"}, 200}});
  waitstates::MemoryTrace late = one_collective("MPI_Reduce", traces::Collective::kToRoot, 3);
  CHECK(waitstates::report_of(late).waits.empty());
}

TEST_CASE("at a scan a rank waits for those below it") {
  waitstates::MemoryTrace trace(4);
  const std::uint64_t enters[] = {300, 100, 400, 350};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, enters[rank], 500, "MPI_Scan",
               {waitstates::collective(traces::Collective::kScan)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"early_scan", 1, "MPI_Scan"}, 200},
                               {{"early_scan", 3, "MPI_Scan"}, 50}});
}

TEST_CASE("collectives of several communicators are counted apart") {
  waitstates::MemoryTrace trace(3);
  const std::uint32_t pair = trace.add_communicator({2, 1});
  trace.call(1, 10, 60, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier, traces::kNobody, pair)});
  trace.call(2, 50, 61, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier, traces::kNobody, pair)});
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    trace.call(rank, 100 + rank, 110, "MPI_Barrier",
               {waitstates::collective(traces::Collective::kBarrier)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 1, "MPI_Barrier"}, 41},
                               {{"wait_at_barrier", 0, "MPI_Barrier"}, 2}});
}

TEST_CASE("a communicator of one rank and one that makes others let nobody wait") {
  waitstates::MemoryTrace trace(2);
  const std::uint32_t self = trace.add_communicator({});
  trace.call(0, 10, 20, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier, traces::kNobody, self)});
  trace.call(0, 30, 90, "MPI_Comm_dup", {waitstates::collective(traces::Collective::kOther)});
  trace.call(1, 80, 90, "MPI_Comm_dup", {waitstates::collective(traces::Collective::kOther)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.waits.empty());
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

TEST_CASE("a nonblocking collective counts when it begins, and waits where it is completed") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 101, "MPI_Ibarrier", {waitstates::icollective(1)});
  trace.call(0, 150, 420, "MPI_Wait",
             {waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  trace.call(1, 400, 401, "MPI_Ibarrier", {waitstates::icollective(1)});
  trace.call(1, 500, 510, "MPI_Wait",
             {waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 0, "MPI_Wait"}, 250}});
}

TEST_CASE("what a nonblocking collective overlaps may depend on it and on others") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 101, "MPI_Ibarrier", {waitstates::icollective(1)});
  trace.call(0, 110, 430, "MPI_Recv", {waitstates::received(1)});
  trace.call(0, 440, 450, "MPI_Wait",
             {waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  trace.call(1, 300, 301, "MPI_Ibarrier", {waitstates::icollective(1)});
  trace.call(1, 310, 320, "MPI_Wait",
             {waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  trace.call(1, 400, 410, "MPI_Send", {waitstates::sent(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 0, "MPI_Recv"}, 290}});
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

TEST_CASE("nonblocking collectives that end in another order than they began") {
  waitstates::MemoryTrace trace(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    trace.call(rank, 100 + 50 * rank, 101 + 50 * rank, "MPI_Ibarrier",
               {waitstates::icollective(1)});
    trace.call(rank, 200 + 100 * rank, 201 + 100 * rank, "MPI_Iallreduce",
               {waitstates::icollective(2)});
  }
  trace.call(0, 210, 310, "MPI_Wait",
             {waitstates::icollective_ends(2, traces::Collective::kAllToAll)});
  trace.call(0, 320, 330, "MPI_Wait",
             {waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  trace.call(1, 320, 330, "MPI_Waitall",
             {waitstates::icollective_ends(2, traces::Collective::kAllToAll),
              waitstates::icollective_ends(1, traces::Collective::kBarrier)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_nxn", 0, "MPI_Wait"}, 90}});
}

TEST_CASE("between two groups all wait for the other group") {
  waitstates::MemoryTrace trace(4);
  const std::uint32_t between = trace.add_communicator({0, 1}, {2, 3});
  const std::uint64_t enters[] = {100, 200, 150, 120};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, enters[rank], 300, "MPI_Barrier",
               {waitstates::collective(traces::Collective::kBarrier, traces::kNobody, between)});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, rank == 1 ? 450 : 400, 500, "MPI_Bcast",
               {waitstates::collective(traces::Collective::kFromRoot, 1, between)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 0, "MPI_Barrier"}, 50},
                               {{"wait_at_barrier", 2, "MPI_Barrier"}, 50},
                               {{"wait_at_barrier", 3, "MPI_Barrier"}, 80},
                               {{"late_broadcast", 2, "MPI_Bcast"}, 50},
                               {{"late_broadcast", 3, "MPI_Bcast"}, 50}});
}

TEST_CASE("between two groups only the root knows of its side who is root") {
  waitstates::MemoryTrace trace(4);
  const std::uint32_t between = trace.add_communicator({0, 1}, {2, 3});
  const std::uint64_t enters[] = {100, 450, 400, 420};
  const auto all_call = [&](std::uint64_t from, const std::string& name, traces::Collective kind) {
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      trace.call(rank, from + enters[rank], from + 500, name,
                 {waitstates::collective(kind, rank == 0 ? traces::kNobody : 1, between)});
  };
  all_call(0, "MPI_Bcast", traces::Collective::kFromRoot);
  all_call(1000, "MPI_Barrier", traces::Collective::kBarrier);
  trace.call(0, 2000, 2001, "MPI_Ibcast", {waitstates::icollective(1)});
  trace.call(1, 2450, 2451, "MPI_Ibcast", {waitstates::icollective(1)});
  trace.call(2, 2400, 2401, "MPI_Ibcast", {waitstates::icollective(1)});
  trace.call(3, 2400, 2401, "MPI_Ibcast", {waitstates::icollective(1)});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, 2460, 2470, "MPI_Wait",
               {waitstates::icollective_ends(1, traces::Collective::kFromRoot,
                                             rank == 0 ? traces::kNobody : 1, between)});
  const std::uint64_t later[] = {3000, 3000, 3050, 3020};
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    trace.call(rank, later[rank], 3100, "MPI_Reduce",
               {waitstates::collective(traces::Collective::kToRoot, rank == 0 ? traces::kNobody : 1,
                                       between)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_broadcast", 2, "MPI_Bcast"}, 50},
                               {{"late_broadcast", 3, "MPI_Bcast"}, 30},
                               {{"wait_at_barrier", 0, "MPI_Barrier"}, 320},
                               {{"wait_at_barrier", 2, "MPI_Barrier"}, 50},
                               {{"wait_at_barrier", 3, "MPI_Barrier"}, 30},
                               {{"early_reduce", 1, "MPI_Reduce"}, 50}});
}
