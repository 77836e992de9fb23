#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

constexpr std::uint64_t kMicrosecond = 1000;  // ticks of the traces made here

const std::string kPolling = "late_sender_while_polling";

// Calls of 1 us that find nothing, the first one at `from`, with `pause` between them.
std::uint64_t poll(waitstates::MemoryTrace& trace, std::uint64_t from, int calls,
                   std::uint64_t pause, const std::string& name) {
  for (int i = 0; i < calls; ++i) {
    trace.call(1, from, from + kMicrosecond, name);
    from += kMicrosecond + pause;
  }
  return from;
}

std::uint64_t visits_of(const waitstates::WaitReport& report, const std::string& path,
                        std::uint32_t location) {
  std::uint64_t visits = 0;
  for (const waitstates::PathTime& time : report.times)
    if (time.location == location && waitstates::path_name(report, time.call_path) == path)
      visits += time.visits;
  return visits;
}

}  // namespace

TEST_CASE("a loop of tests waits from the first that finds nothing until the message is sent") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  const std::uint64_t found = poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Testsome");
  trace.call(1, found, found + 500, "MPI_Testsome", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 90'000, 90'500, "MPI_Send", {waitstates::sent(1)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Testsome"}, 89'000}});
  CHECK(visits_of(report, "MPI_Testsome", 1) == 21);
  CHECK(report.events == 2 * 21 + 4 + 4 - 1);
}

TEST_CASE("a loop that only looks at a request waits for the message that its Wait then takes") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  const std::uint64_t found = poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Request_get_status");
  trace.call(1, found, found + 500, "MPI_Wait", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 90'000, 90'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Request_get_status"}, 89'000}});
}

TEST_CASE("a request that was looked at before its receive was posted was another one") {
  waitstates::MemoryTrace trace(2);
  const std::uint64_t posted = poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Request_get_status");
  trace.call(1, posted, posted + 500, "MPI_Irecv", {waitstates::irecv(7)});
  trace.call(1, posted + 500, posted + 900, "MPI_Wait", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 90'000, 90'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)).empty());
}

TEST_CASE("a loop of tests of a window waits from the first one on") {
  waitstates::MemoryTrace trace(2);
  const std::uint32_t window = trace.add_window();
  const std::uint32_t target = trace.add_group({1});
  const std::uint32_t origin = trace.add_group({0});
  trace.call(1, 0, 500, "MPI_Win_post",
             {waitstates::of_window(traces::EventKind::kWindowPost, window, origin)});
  const std::uint64_t found = poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Win_test");
  trace.call(1, found, found + 500, "MPI_Win_test",
             {waitstates::of_window(traces::EventKind::kWindowWait, window)});
  trace.call(0, 600, 700, "MPI_Win_start",
             {waitstates::of_window(traces::EventKind::kWindowStart, window, target)});
  trace.call(0, 90'000, 90'500, "MPI_Win_complete",
             {waitstates::of_window(traces::EventKind::kWindowComplete, window)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_complete", 1, "MPI_Win_test"}, 89'000}});
}

TEST_CASE("a request that Score-P records as tested was not found") {
  waitstates::MemoryTrace trace(2);
  traces::Event tested;
  tested.kind = traces::EventKind::kRequestTested;
  tested.request = 7;
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  for (std::uint64_t at = 1000; at < 41'000; at += 2000)
    trace.call(1, at, at + 500, "MPI_Test", {tested});
  trace.call(1, 41'000, 41'500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 40'000, 40'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Test"}, 39'000}});
}

TEST_CASE("where a program does something between two tests, the tests alone wait") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  std::uint64_t found = 0;
  SUBCASE("for longer than a pause of polls") {
    found = poll(trace, 1000, 5, 21 * kMicrosecond, "MPI_Test");
  }
  SUBCASE("in a function") {
    found = 1000;
    for (int i = 0; i < 5; ++i) {
      trace.call(1, found, found + kMicrosecond, "MPI_Test");
      trace.call(1, found + kMicrosecond, found + 5000, "work");
      found += 5000;
    }
  }
  trace.call(1, found, found + 500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  trace.call(0, found - 300, found, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Test"}, 5 * kMicrosecond}});
}

TEST_CASE("a loop of tests that was interrupted for long waits on both sides of that") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Test");  // to 97,000
  const std::uint64_t found = poll(trace, 300'000, 20, 4 * kMicrosecond, "MPI_Test");
  trace.call(1, found, found + 500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  SUBCASE("the message is sent in the second part") {
    trace.call(0, 350'000, 350'500, "MPI_Send", {waitstates::sent(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{kPolling, 1, "MPI_Test"}, 96'000 + 50'000}});
  }
  SUBCASE("the message is sent between") {
    trace.call(0, 200'000, 200'500, "MPI_Send", {waitstates::sent(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{kPolling, 1, "MPI_Test"}, 96'000}});
  }
}

TEST_CASE("who polls in vain for longer than it was interrupted waits in between, too") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 500, "MPI_Irecv", {waitstates::irecv(7)});
  const std::uint64_t first = poll(trace, 1000, 60, 4 * kMicrosecond, "MPI_Test");  // 296 us
  std::uint64_t found = 0;
  std::uint64_t expected = 0;
  SUBCASE("once") {
    found = poll(trace, first + 150'000, 1, 4 * kMicrosecond, "MPI_Test");
    expected = found - 1000;
  }
  SUBCASE("but not if it was interrupted for longer than it polled, all in all") {
    const std::uint64_t second = poll(trace, first + 150'000, 1, 4 * kMicrosecond, "MPI_Test");
    found = poll(trace, second + 160'000, 1, 4 * kMicrosecond, "MPI_Test");
    expected = second - 4 * kMicrosecond - 1000 + found - second - 160'000;
  }
  trace.call(1, found, found + 500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  trace.call(0, found, found + 100, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Test"}, expected}});
}

TEST_CASE("tests from before a receive was posted did not wait for it") {
  waitstates::MemoryTrace trace(2);
  poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Test");
  trace.call(1, 200'000, 200'500, "MPI_Irecv", {waitstates::irecv(7)});
  trace.call(1, 300'000, 300'500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 290'000, 290'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) == waitstates::FoundWaits{});
}

TEST_CASE("a loop of probes that was interrupted for long waits on both sides of that") {
  waitstates::MemoryTrace trace(2);
  poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Iprobe");  // to 97,000
  const std::uint64_t found = poll(trace, 300'000, 20, 4 * kMicrosecond, "MPI_Iprobe");
  trace.call(1, found, found + 500, "MPI_Recv", {waitstates::received(0)});
  trace.call(0, 350'000, 350'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Iprobe"}, 96'000 + 50'000}});
}

TEST_CASE("a loop of probes waits for the message that is received next") {
  waitstates::MemoryTrace trace(3);
  const std::uint64_t found = poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Iprobe");
  trace.call(1, found, found + 500, "MPI_Recv", {waitstates::received(0)});
  trace.call(1, found + 600, found + 700, "MPI_Recv", {waitstates::received(2)});
  trace.call(0, 90'000, 90'500, "MPI_Send", {waitstates::sent(1)});
  SUBCASE("and not for one that is received later") {
    trace.call(2, 95'000, 95'500, "MPI_Send", {waitstates::sent(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{kPolling, 1, "MPI_Iprobe"}, 89'000}});
  }
  SUBCASE("nor for one that was there before") {
    trace.call(2, 10, 20, "MPI_Send", {waitstates::sent(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{kPolling, 1, "MPI_Iprobe"}, 89'000}});
  }
}

TEST_CASE("a loop of probes that found nothing did not wait for what is sent after it") {
  waitstates::MemoryTrace trace(2);
  poll(trace, 1000, 20, 4 * kMicrosecond, "MPI_Iprobe");
  trace.call(1, 150'000, 250'000, "MPI_Recv", {waitstates::received(0)});
  trace.call(0, 200'000, 200'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Recv"}, 50'000}});
}

TEST_CASE("a probe that blocks waits for its sender") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 400, 410, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 100, 450, "MPI_Probe");
  SUBCASE("of a blocking receive") {
    trace.call(1, 460, 470, "MPI_Recv", {waitstates::received(0)});
  }
  SUBCASE("of a receive that is posted and ends later") {
    trace.call(1, 460, 470, "MPI_Irecv", {waitstates::irecv(5)});
    trace.call(1, 480, 490, "MPI_Wait", {waitstates::irecv_ends(5, 0)});
  }
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Probe"}, 300}});
}

TEST_CASE("matched probes wait for what they found, whatever the order it is received in") {
  waitstates::MemoryTrace trace(3);
  trace.call(0, 400, 410, "MPI_Send", {waitstates::sent(1)});
  trace.call(2, 700, 710, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 100, 450, "MPI_Mprobe");
  trace.call(1, 500, 750, "MPI_Mprobe");
  SUBCASE("blocking") {
    trace.call(1, 760, 770, "MPI_Mrecv", {waitstates::received(2)});
    trace.call(1, 780, 790, "MPI_Mrecv", {waitstates::received(0)});
  }
  SUBCASE("nonblocking, and another receive between") {
    trace.call(0, 720, 730, "MPI_Send", {waitstates::sent(1, 9)});
    trace.call(1, 760, 770, "MPI_Imrecv", {waitstates::irecv(5)});
    trace.call(1, 772, 774, "MPI_Recv", {waitstates::received(0, 9)});
    trace.call(1, 780, 790, "MPI_Imrecv", {waitstates::irecv(6)});
    trace.call(1, 800, 810, "MPI_Waitall",
               {waitstates::irecv_ends(6, 0), waitstates::irecv_ends(5, 2)});
  }
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Mprobe"}, 500}});
}

TEST_CASE("where the trace shows what a matched probe found, its message is the one received") {
  // Both with one tag; the receiver takes the second first.
  waitstates::MemoryTrace trace(2);
  trace.call(0, 400, 410, "MPI_Send", {waitstates::sent(1)});
  trace.call(0, 700, 900, "MPI_Ssend", {waitstates::sent(1)});
  trace.call(1, 100, 450, "MPI_Mprobe", {waitstates::irecv(1)});
  trace.call(1, 460, 760, "MPI_Mprobe", {waitstates::irecv(2)});
  trace.call(1, 880, 890, "MPI_Mrecv", {waitstates::irecv_ends(2, 0)});
  trace.call(1, 950, 960, "MPI_Mrecv", {waitstates::irecv_ends(1, 0)});
  const waitstates::WaitReport report = waitstates::report_of(trace);
  // The second send waits for its own receive, not for the probe.
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Mprobe"}, 300 + 240},
                               {{"late_receiver", 0, "MPI_Ssend"}, 180}});
  CHECK(report.anomalies == waitstates::TraceAnomalies{});
}

/// Two receives of matched probes, the second one's first, behind so many calls of a function.
waitstates::WaitReport matched_receives_behind(int calls) {
  waitstates::MemoryTrace trace(2);
  for (int call = 0; call < calls; ++call) trace.call(1, 0, 1, "work");
  traces::Event cancelled = waitstates::irecv(0);
  cancelled.kind = traces::EventKind::kRequestCancelled;
  const auto goes_on = [&](std::uint64_t from, std::uint64_t probe, std::uint64_t request) {
    trace.enter(1, from, "MPI_Imrecv");
    cancelled.request = probe;
    trace.add(1, from, cancelled);
    trace.add(1, from, waitstates::irecv(request));
    trace.leave(1, from + 10, "MPI_Imrecv");
  };
  trace.call(0, 400, 410, "MPI_Send", {waitstates::sent(1)});
  trace.call(0, 700, 900, "MPI_Ssend", {waitstates::sent(1)});
  trace.call(1, 100, 450, "MPI_Mprobe", {waitstates::irecv(1)});
  trace.call(1, 460, 760, "MPI_Mprobe", {waitstates::irecv(2)});
  goes_on(880, 2, 3);
  goes_on(950, 1, 4);
  trace.call(1, 1000, 1010, "MPI_Waitall",
             {waitstates::irecv_ends(3, 0), waitstates::irecv_ends(4, 0)});
  return waitstates::report_of(trace);
}

TEST_CASE("where MPI_Imrecv goes on with what a probe has found, its message is the probe's") {
  // Wherever the events are cut into those that are read at once.
  for (int calls = 0; calls < 300; ++calls) {
    CAPTURE(calls);
    const waitstates::WaitReport report = matched_receives_behind(calls);
    // The second send waits for its own receive, not for the probe.
    CHECK(waitstates::waits_in(report) ==
          waitstates::FoundWaits{{{"late_sender", 1, "MPI_Mprobe"}, 300 + 240},
                                 {{"late_receiver", 0, "MPI_Ssend"}, 180}});
    CHECK(report.anomalies == waitstates::TraceAnomalies{});
  }
}

TEST_CASE("a loop of two kinds of polls is one call from the first that finds nothing") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 100, 200, "MPI_Irecv", {waitstates::irecv(7)});
  std::uint64_t now = 1000;
  for (int i = 0; i < 20; ++i) {
    for (const char* const name : {"MPI_Testany", "MPI_Request_get_status"}) {
      trace.call(1, now, now + 500, name);
      now += 2500;
    }
  }
  trace.call(1, now, now + 500, "MPI_Testany", {waitstates::irecv_ends(7, 0)});  // at 101,000
  trace.call(0, 61'000, 61'500, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Testany"}, 60'000}});
}

TEST_CASE("a loop of probes and tests waits for what its last probe finds") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 100, 200, "MPI_Irecv", {waitstates::irecv(7)});
  std::uint64_t now = 1000;
  for (int i = 0; i < 20; ++i) {
    for (const char* const name : {"MPI_Iprobe", "MPI_Test"}) {
      trace.call(1, now, now + 500, name);
      now += 2500;
    }
  }
  trace.call(1, now, now + 500, "MPI_Iprobe");  // at 101,000
  trace.call(1, now + 600, now + 700, "MPI_Recv", {waitstates::received(0, 5)});
  trace.call(0, 61'000, 61'500, "MPI_Send", {waitstates::sent(1, 5)});
  trace.call(0, 201'000, 201'500, "MPI_Send", {waitstates::sent(1)});
  trace.call(1, 201'000, 202'000, "MPI_Wait", {waitstates::irecv_ends(7, 0)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{kPolling, 1, "MPI_Iprobe"}, 60'000}});
}

TEST_CASE("probes whose messages are never received are forgotten") {
  waitstates::MemoryTrace trace(2);
  for (std::uint64_t i = 0; i < 1000; ++i)
    trace.call(1, i * 1'000'000, i * 1'000'000 + 500'000, "MPI_Mprobe");
  trace.call(1, 1'000'000'000, 1'000'300'000, "MPI_Probe");
  trace.call(1, 1'000'300'000, 1'000'400'000, "MPI_Recv", {waitstates::received(0)});
  trace.call(0, 1'000'100'000, 1'000'200'000, "MPI_Send", {waitstates::sent(1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 1, "MPI_Probe"}, 100'000}});
}
