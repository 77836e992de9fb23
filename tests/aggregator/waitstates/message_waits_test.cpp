#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

// Everything of a rank in one function.
void in_main(waitstates::MemoryTrace& trace, std::uint64_t end) {
  for (std::uint32_t location = 0; location < trace.events.size(); ++location) {
    std::vector<traces::Event> calls;
    calls.swap(trace.events[location]);
    trace.enter(location, 0, "main");
    trace.events[location].insert(trace.events[location].end(), calls.begin(), calls.end());
    trace.leave(location, end, "main");
  }
}

}  // namespace

TEST_CASE("a receive waits for a late sender until its send begins") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 500, 510, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 100, 520, "MPI_Recv", {waitstates::received(0)});
  in_main(trace, 600);
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "main/MPI_Recv"}, 400}});
  REQUIRE(report.waits.size() == 1);
  CHECK(report.waits[0].count == 1);
  CHECK(report.waits[0].longest == 400);
  CHECK(report.waits[0].energy.spent_nj == 4000);
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
  CHECK(report.begin == 0);
  CHECK(report.end == 600);
  CHECK(report.events == 10);
}

TEST_CASE("a send waits for a late receiver, unless it was gone before the receive was posted") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 320, "MPI_Ssend", {waitstates::sent(1)});
  trace.call(1, 300, 330, "MPI_Recv", {waitstates::received(0)});
  trace.call(0, 400, 410, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 500, 510, "MPI_Recv", {waitstates::received(0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_receiver", 0, "MPI_Ssend"}, 200}});
}

TEST_CASE("nonblocking operations wait where they are completed") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 10, 12, "MPI_Irecv", {waitstates::irecv(7)});
  trace.call(1, 100, 260, "MPI_Wait", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 250, 252, "MPI_Isend", {waitstates::isend(3, 1)});
  trace.call(0, 300, 310, "MPI_Wait", {waitstates::isend_ends(3)});
  SUBCASE("a receive for its sender") {
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_sender", 1, "MPI_Wait"}, 150}});
  }
  SUBCASE("a send for its receiver") {
    trace.call(0, 400, 402, "MPI_Isend", {waitstates::isend(3, 1)});
    trace.call(0, 420, 520, "MPI_Wait", {waitstates::isend_ends(3)});
    trace.call(1, 500, 525, "MPI_Recv", {waitstates::received(0)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_sender", 1, "MPI_Wait"}, 150},
                                 {{"late_receiver", 0, "MPI_Wait"}, 80}});
  }
}

TEST_CASE("a Waitall waits once, first for senders and then for receivers") {
  waitstates::MemoryTrace trace(3);
  trace.call(1, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(1, 2, 3, "MPI_Irecv", {waitstates::irecv(2)});
  trace.call(1, 4, 5, "MPI_Isend", {waitstates::isend(3, 2, 9)});
  trace.call(0, 150, 160, "MPI_Send", {waitstates::sent(1)});
  trace.call(2, 200, 210, "MPI_Send", {waitstates::sent(1)});
  trace.call(2, 350, 365, "MPI_Recv", {waitstates::received(1, 9)});
  trace.call(
      1, 100, 370, "MPI_Waitall",
      {waitstates::irecv_ends(1, 0), waitstates::irecv_ends(2, 2), waitstates::isend_ends(3)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Waitall"}, 100},
                               {{"late_receiver", 1, "MPI_Waitall"}, 150}});
}

TEST_CASE("two ranks that send and receive in one call do not stop the replay") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 420, "MPI_Sendrecv", {waitstates::received(1), waitstates::sent(1)});
  trace.call(1, 400, 421, "MPI_Sendrecv", {waitstates::received(0), waitstates::sent(0)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 0, "MPI_Sendrecv"}, 300}});
}

TEST_CASE("receives match in the order they were posted, not in the order they end") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(1, 2, 3, "MPI_Irecv", {waitstates::irecv(2)});
  trace.call(0, 100, 101, "MPI_Send", {waitstates::sent(1)});  // for request 1
  trace.call(0, 500, 501, "MPI_Send", {waitstates::sent(1)});  // for request 2
  trace.call(1, 50, 600, "MPI_Wait", {waitstates::irecv_ends(2, 0)});
  trace.call(1, 610, 611, "MPI_Wait", {waitstates::irecv_ends(1, 0)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Wait"}, 450}});
}

TEST_CASE("a receive that is open all the time does not hold up others") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  const std::uint64_t messages = 5000;
  for (std::uint64_t at = 0; at < messages; ++at) {
    trace.call(0, 100 + at * 100, 101 + at * 100, "MPI_Send", {waitstates::sent(1)});
    trace.call(1, 90 + at * 100, 103 + at * 100, "MPI_Recv", {waitstates::received(0)});
  }
  trace.call(0, 600000, 600001, "MPI_Send", {waitstates::sent(1, 5)});
  trace.call(1, 600000, 600001, "MPI_Wait", {waitstates::irecv_ends(1, 0, 5)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, messages * 10}});
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

TEST_CASE("communicators, tags and senders keep messages apart") {
  waitstates::MemoryTrace trace(3);
  const std::uint32_t other = trace.add_communicator({0, 1, 2});
  trace.call(0, 100, 101, "MPI_Send", {waitstates::sent(1, 1)});
  trace.call(0, 200, 201, "MPI_Send", {waitstates::sent(1, 2)});
  trace.call(0, 300, 301, "MPI_Send", {waitstates::sent(1, 1, other)});
  trace.call(2, 400, 401, "MPI_Send", {waitstates::sent(1, 1)});
  trace.call(1, 350, 410, "MPI_Recv", {waitstates::received(2, 1)});
  trace.call(1, 411, 412, "a", {});
  trace.call(1, 420, 421, "MPI_Recv", {waitstates::received(0, 1, other)});
  trace.call(1, 430, 431, "MPI_Recv", {waitstates::received(0, 2)});
  trace.call(1, 440, 441, "MPI_Recv", {waitstates::received(0, 1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender_wrong_order", 1, "MPI_Recv"}, 50}});
}

TEST_CASE("a rank that sends to itself waits for nobody") {
  waitstates::MemoryTrace trace(1);
  trace.call(0, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(0, 10, 12, "MPI_Send", {waitstates::sent(0)});
  trace.call(0, 20, 22, "MPI_Wait", {waitstates::irecv_ends(1, 0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(report.waits.empty());
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

TEST_CASE("thousands of messages on their way are no stop") {
  waitstates::MemoryTrace trace(2);
  const std::uint32_t messages = 20000;
  for (std::uint32_t at = 0; at < messages; ++at)
    trace.call(0, at, at + 1, "MPI_Isend", {waitstates::isend(at, 1)});
  trace.call(0, messages, messages + 50, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier)});
  trace.call(1, 0, messages + 50, "MPI_Barrier",
             {waitstates::collective(traces::Collective::kBarrier)});
  for (std::uint32_t at = 0; at < messages; ++at)
    trace.call(1, messages * 2 + at, messages * 2 + at + 1, "MPI_Recv", {waitstates::received(0)});
  for (std::uint32_t at = 0; at < messages; ++at)
    trace.call(0, messages * 4 + at, messages * 4 + at + 1, "MPI_Wait",
               {waitstates::isend_ends(at)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_barrier", 1, "MPI_Barrier"}, messages}});
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}
