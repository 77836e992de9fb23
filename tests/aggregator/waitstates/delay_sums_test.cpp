// Causes of waiting that is not for a message or in a collective: their costs add up to it.
#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_delays.hpp"
#include "tests/aggregator/waitstates/random_program.hpp"

using namespace huddle;

namespace {

void check_sums(const waitstates::FoundDelays& found, std::uint64_t waiting) {
  INFO(found.text());
  CHECK(found.waited() == waiting);
  CHECK(found.delays.waiting == waiting);
  CHECK(found.sum() == doctest::Approx(static_cast<double>(waiting)));
}

}  // namespace

TEST_CASE("who waits for a lock of a window waits for what its holder did since they met") {
  waitstates::MemoryTrace trace(3);
  const std::uint32_t window = trace.add_window();
  const auto of_lock = [&](traces::EventKind kind) {
    traces::Event event = waitstates::of_window(kind, window);
    event.peer = 0;
    if (kind == traces::EventKind::kWindowLocked) event.request = 1;
    return event;
  };
  for (const std::uint32_t rank : {0U, 1U, 2U})
    trace.call(rank, 0, 10, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  trace.call(1, 10, 20, "MPI_Win_lock", {of_lock(traces::EventKind::kWindowLocked)});
  trace.call(1, 20, 520, "held");
  trace.call(1, 520, 530, "MPI_Win_unlock", {of_lock(traces::EventKind::kWindowUnlocked)});
  trace.call(2, 10, 525, "MPI_Win_lock", {of_lock(traces::EventKind::kWindowLocked)});
  trace.call(2, 600, 610, "MPI_Win_unlock", {of_lock(traces::EventKind::kWindowUnlocked)});
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  check_sums(found, 510);
  CHECK(found.costs() ==
        waitstates::FoundCosts{{{"MPI_Win_lock", 1}, {10, 0}}, {{"held", 1}, {500, 0}}});
}

TEST_CASE("who comes late to a collective access to a file was late where it spent its time") {
  waitstates::MemoryTrace trace(2);
  traces::Event access = waitstates::collective(traces::Collective::kNone);
  access.kind = traces::EventKind::kFileCollective;
  trace.call(0, 100, 450, "MPI_File_write_all", {access});
  trace.call(1, 0, 100, "f");
  trace.call(1, 100, 400, "g");
  trace.call(1, 400, 450, "MPI_File_write_all", {access});
  trace.call(0, 500, 510, "f");
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  check_sums(found, 300);
  // Before 100 the other one's events had not begun: nothing is compared there.
  CHECK(found.costs() == waitstates::FoundCosts{{{"g", 1}, {300, 0}}});
}

TEST_CASE("a message in wrong order has the same cause as one in order") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 0, 50, "f");
  trace.call(1, 50, 55, "MPI_Send", {waitstates::sent(0, 1)});
  trace.call(1, 55, 355, "g");
  trace.call(1, 355, 360, "MPI_Send", {waitstates::sent(0, 2)});
  trace.call(0, 80, 360, "MPI_Recv", {waitstates::received(1, 2)});
  trace.call(0, 365, 370, "MPI_Recv", {waitstates::received(1, 1)});
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  CHECK(waitstates::waits_in(found.report) ==
        waitstates::FoundWaits{{{"late_sender_wrong_order", 0, "MPI_Recv"}, 275}});
  check_sums(found, 275);
  CHECK(found.costs().contains({"g", 1}));
}

TEST_CASE("a loop of polls has the cause of one wait") {
  waitstates::MemoryTrace trace(2);
  trace.call(1, 100, 200, "MPI_Irecv", {waitstates::irecv(7)});
  std::uint64_t now = 1000;
  for (int i = 0; i < 20; ++i)
    for (const char* const name : {"MPI_Iprobe", "MPI_Test"}) {
      trace.call(1, now, now + 500, name);
      now += 2500;
    }
  trace.call(1, now, now + 500, "MPI_Test", {waitstates::irecv_ends(7, 0)});
  trace.call(0, 0, 61'000, "slow");
  trace.call(0, 61'000, 61'500, "MPI_Send", {waitstates::sent(1)});
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  check_sums(found, 60'000);
  CHECK(found.costs() == waitstates::FoundCosts{{{"slow", 0}, {60'000, 0}}});
}

TEST_CASE("what follows the first departure from a barrier is no waiting, and costs nobody") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 100, 300, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  trace.call(1, 200, 900, "MPI_Barrier", {waitstates::collective(traces::Collective::kBarrier)});
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  check_sums(found, 100);
}

TEST_CASE("between two groups nobody is late for its own group") {
  waitstates::MemoryTrace trace(4);
  const std::uint32_t between = trace.add_communicator({0, 1}, {2, 3});
  const std::uint64_t begins[] = {100, 400, 200, 300};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    trace.call(rank, 0, begins[rank], "f");
    trace.call(rank, begins[rank], 500, "MPI_Barrier",
               {waitstates::collective(traces::Collective::kBarrier, traces::kNobody, between)});
  }
  const waitstates::FoundDelays found = waitstates::delays_in(trace);
  check_sums(found, 200 + 200 + 100);
  CHECK(found.costs() == waitstates::FoundCosts{{{"f", 1}, {300, 0}}, {{"f", 3}, {200, 0}}});
}

TEST_CASE("costs of delays in random programs add up to the waiting they are the costs of") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    waitstates::RandomTracedProgram program;
    program.seed = seed;
    program.ranks = 1 + static_cast<std::uint32_t>(seed % 7);
    waitstates::MemoryTrace trace = random_trace(program);
    const waitstates::FoundDelays found = waitstates::delays_in(trace);
    CHECK(found.sum() == doctest::Approx(static_cast<double>(found.delays.waiting)));
    CHECK(found.delays.waiting <= found.waited());
    CHECK(waitstates::delays_in(trace, 2).delays.costs == found.delays.costs);
    for (const std::size_t turn : {1U, 5U})
      CHECK(waitstates::delays_in(trace, 1, turn).delays.costs == found.delays.costs);
    for (const waitstates::DelayCost& cost : found.delays.costs) {
      CHECK(cost.short_term >= 0);
      CHECK(cost.long_term >= 0);
    }
  }
}
