#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

TEST_CASE("a trace without events gives an empty report") {
  waitstates::MemoryTrace trace(3);
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.locations.size() == 3);
  CHECK(report.events == 0);
  CHECK(report.waits.empty());
  CHECK(report.call_paths.empty());
}

TEST_CASE("messages whose partner is missing are counted, and the rest is analysed") {
  waitstates::MemoryTrace trace(3);
  trace.call(0, 100, 200, "MPI_Recv", {waitstates::received(1)});  // never sent
  trace.call(0, 210, 220, "MPI_Recv", {waitstates::received(1)});
  trace.call(0, 230, 240, "MPI_Send", {waitstates::sent(1)});  // never received
  trace.call(0, 300, 410, "MPI_Recv", {waitstates::received(2)});
  trace.call(2, 400, 410, "MPI_Send", {waitstates::sent(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 0, "MPI_Recv"}, 100}});
  CHECK(report.anomalies.receives_without_send == 2);
  CHECK(report.anomalies.sends_without_receive == 1);
}

TEST_CASE("a collective that not all come to is counted, and nobody waits for it") {
  waitstates::MemoryTrace trace(3);
  for (std::uint64_t at = 0; at < 3; ++at)
    for (std::uint32_t rank = 0; rank < (at == 0 ? 3U : 2U); ++rank)
      trace.call(rank, at * 100 + 10 * rank, at * 100 + 50, "MPI_Barrier",
                 {waitstates::collective(traces::Collective::kBarrier)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 0, "MPI_Barrier"}, 20},
                               {{"wait_at_barrier", 1, "MPI_Barrier"}, 10}});
  CHECK(report.anomalies.unfinished_collectives == 2);
}

TEST_CASE("a circle that no program can have been in is cut") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 200, "MPI_Recv", {waitstates::received(1)});
  trace.call(0, 210, 220, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 110, 215, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, 230, 240, "MPI_Send", {waitstates::sent(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.anomalies.receives_without_send == 1);
  CHECK(report.anomalies.sends_without_receive == 1);
}

TEST_CASE("a location that can't be read to its end counts as far as it goes") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 110, "MPI_Send", {waitstates::sent(1)});
  trace.call(0, 200, 210, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 50, 120, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, 150, 220, "MPI_Recv", {waitstates::received(0)});
  trace.damaged_after = {4, 6};
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, 50}});
  CHECK(report.anomalies.receives_without_send == 1);
  CHECK(report.anomalies.regions_without_end == 1);
  REQUIRE(report.remarks.size() == 1);
  CHECK(report.remarks[0].find("damage") != std::string::npos);
}

TEST_CASE("regions that do not nest, and events outside of calls, are borne") {
  waitstates::MemoryTrace trace(2);
  trace.enter(0, 10, "a");
  trace.enter(0, 20, "b");
  trace.leave(0, 30, "a");  // b has no end
  trace.leave(0, 40, "c");  // c has no begin
  trace.add(0, 50, waitstates::sent(1));
  trace.add(0, 60, waitstates::received(1));
  trace.call(1, 5, 55, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, 58, 59, "MPI_Send", {waitstates::sent(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, 45}});
  waitstates::TraceAnomalies expected;
  expected.regions_without_end = 1;
  CHECK(report.anomalies == expected);
}

TEST_CASE("events that name what is not there are left out") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 10, 20, "MPI_Send", {waitstates::sent(7)});
  trace.call(0, 30, 40, "MPI_Wait",
             {waitstates::irecv_ends(9, 1, 0, 44), waitstates::isend_ends(12)});
  trace.call(0, 50, 60, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier, 9, 44)});
  trace.call(0, 70, 80, "MPI_Bcast", {waitstates::collective(traces::Collective::kFromRoot, 9)});
  trace.call(1, 70, 80, "MPI_Bcast", {waitstates::collective(traces::Collective::kFromRoot, 9)});
  trace.call(0, 90, 95, "MPI_Win_fence",
             {waitstates::of_window(traces::EventKind::kWindowFence, 3)});
  trace.add(0, 96, waitstates::of_team(traces::EventKind::kTeamBegin, 5));
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.waits.empty());
  CHECK(report.anomalies.receives_without_send == 1);
}

TEST_CASE("requests that never end are counted") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 10, 20, "MPI_Isend", {waitstates::isend(1, 1)});
  trace.call(0, 30, 40, "MPI_Irecv", {waitstates::irecv(2)});
  trace.call(1, 5, 15, "MPI_Recv", {waitstates::received(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, 5}});
  CHECK(report.anomalies.requests_without_end == 2);
}

TEST_CASE("a message that arrives before it was sent sets the receiver's clock forward") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 1000, 1010, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 800, 900, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, 1000, 13900, "work");
  trace.call(1, 14000, 14010, "MPI_Send", {waitstates::sent(0)});
  trace.call(0, 13000, 14100, "MPI_Recv", {waitstates::received(1)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.anomalies.clock_violations == 1);
  CHECK(report.anomalies.largest_clock_violation == 100);
  // 200 until the send began; the clock is right again 12,800 ticks later.
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, 200},
                               {{"late_sender", 0, "MPI_Recv"}, 1000}});
  CHECK(report.locations[1].end == 14010);
}

TEST_CASE("who leaves an operation of all with all early needed nothing of the last one") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 110, "MPI_Alltoallv", {waitstates::collective(traces::Collective::kAllToAll)});
  trace.call(1, 1000, 1010, "MPI_Alltoallv",
             {waitstates::collective(traces::Collective::kAllToAll)});
  trace.call(1, 1020, 1030, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  trace.call(0, 400, 1040, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_nxn", 0, "MPI_Alltoallv"}, 10},
                               {{"wait_at_barrier", 0, "MPI_Barrier"}, 620}});
}

TEST_CASE("time in a region is that without the regions below it") {
  waitstates::MemoryTrace trace(1);
  trace.enter(0, 10, "main");
  trace.call(0, 20, 50, "solve");
  trace.call(0, 60, 70, "solve");
  trace.call(0, 70, 75, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  trace.leave(0, 100, "main");
  const waitstates::WaitReport report = waitstates::report_of(trace);
  REQUIRE(report.call_paths.size() == 3);
  CHECK(waitstates::path_name(report, 1) == "main/MPI_Barrier");
  CHECK(report.call_paths[1].mpi);
  CHECK(report.times ==
        std::vector<waitstates::PathTime>{{0, 0, 1, 45}, {1, 0, 1, 5}, {2, 0, 2, 40}});
}

TEST_CASE("the timeline has what is in MPI and what waits, bin by bin") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 0, 10, "work");
  trace.call(0, 75, 80, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 10, 90, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, 90, 100, "work");
  waitstates::AnalysisOptions options;
  options.power = waitstates::two_states();
  options.timeline_bins = 4;
  const waitstates::WaitReport report = waitstates::analyse_wait_states(trace, options);
  CHECK(report.timeline_bin == 25);
  REQUIRE(report.timeline.size() == 2);
  const auto& bins = report.timeline[1];
  REQUIRE(bins.size() == 4);
  CHECK(bins[0].mpi == 15);
  CHECK(bins[1].mpi == 25);
  CHECK(bins[3].mpi == 15);
  CHECK(bins[0].waiting[0] == 15);
  CHECK(bins[2].waiting[0] == 25);
  CHECK(bins[3].waiting[0] == 0);
  CHECK(report.timeline[0][3].mpi == 5);
}

TEST_CASE(
    "who sends more ahead of a receiver than the replay usually lets it goes on nevertheless") {
  constexpr std::uint64_t kMessages = 10'000;
  waitstates::MemoryTrace trace(2);
  for (std::uint64_t i = 0; i < kMessages; ++i)
    trace.call(0, 10 * i, 10 * i + 5, "MPI_Send", {waitstates::sent(1, 7)});
  constexpr std::uint64_t kLast = 10 * kMessages;
  trace.call(0, kLast, kLast + 5, "MPI_Send", {waitstates::sent(1, 8)});
  // The last one is received first: until then none of the others is.
  trace.call(1, 15, kLast + 10, "MPI_Recv", {waitstates::received(0, 8)});
  for (std::uint64_t i = 1; i <= kMessages; ++i)
    trace.call(1, kLast + 10 * i, kLast + 10 * i + 5, "MPI_Recv", {waitstates::received(0, 7)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.anomalies == waitstates::TraceAnomalies());
  CHECK(report.events == 3 * 2 * (kMessages + 1));
  const waitstates::FoundWaits waits = waitstates::waits_in(report);
  CHECK(waits.size() == 1);
  CHECK(waits.at({"late_sender_wrong_order", 1, "MPI_Recv"}) == kLast - 15);
}
