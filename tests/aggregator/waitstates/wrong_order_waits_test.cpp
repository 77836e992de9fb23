#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

TEST_CASE(
    "a receive that waits while another message is there, received later, is in wrong order") {
  waitstates::MemoryTrace trace(3);
  trace.call(0, 500, 510, "MPI_Send", {waitstates::sent(2)});
  trace.call(2, 100, 520, "MPI_Recv", {waitstates::received(0)});
  SUBCASE("of another sender") {
    trace.call(1, 50, 60, "MPI_Send", {waitstates::sent(2)});
    trace.call(2, 530, 540, "MPI_Recv", {waitstates::received(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_sender_wrong_order", 2, "MPI_Recv"}, 400}});
  }
  SUBCASE("of another sender that sent it only after the wait had begun: in order") {
    trace.call(1, 150, 160, "MPI_Send", {waitstates::sent(2)});
    trace.call(2, 530, 540, "MPI_Recv", {waitstates::received(1)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_sender", 2, "MPI_Recv"}, 400}});
  }
}

TEST_CASE("messages of one sender with two tags may be received in wrong order") {
  waitstates::MemoryTrace trace(2);
  trace.call(0, 50, 60, "MPI_Send", {waitstates::sent(1, 7)});
  trace.call(0, 500, 510, "MPI_Send", {waitstates::sent(1, 8)});
  trace.call(1, 100, 520, "MPI_Recv", {waitstates::received(0, 8)});
  trace.call(1, 530, 540, "MPI_Recv", {waitstates::received(0, 7)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender_wrong_order", 1, "MPI_Recv"}, 400}});
}

TEST_CASE("messages of one Waitall are in no order") {
  waitstates::MemoryTrace trace(3);
  trace.call(2, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(2, 2, 3, "MPI_Irecv", {waitstates::irecv(2)});
  trace.call(1, 50, 60, "MPI_Send", {waitstates::sent(2)});
  trace.call(0, 500, 510, "MPI_Send", {waitstates::sent(2)});
  trace.call(2, 100, 520, "MPI_Waitall",
             {waitstates::irecv_ends(1, 0), waitstates::irecv_ends(2, 1)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender", 2, "MPI_Waitall"}, 400}});
}

TEST_CASE("a wait in wrong order comes before those for receivers in the same call") {
  waitstates::MemoryTrace trace(3);
  trace.call(1, 0, 1, "MPI_Irecv", {waitstates::irecv(1)});
  trace.call(1, 4, 5, "MPI_Isend", {waitstates::isend(3, 2, 9)});
  trace.call(2, 20, 30, "MPI_Send", {waitstates::sent(1)});
  trace.call(0, 200, 210, "MPI_Send", {waitstates::sent(1)});
  trace.call(2, 350, 365, "MPI_Recv", {waitstates::received(1, 9)});
  trace.call(1, 100, 370, "MPI_Waitall", {waitstates::irecv_ends(1, 0), waitstates::isend_ends(3)});
  trace.call(1, 400, 410, "MPI_Recv", {waitstates::received(2)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_sender_wrong_order", 1, "MPI_Waitall"}, 100},
                               {{"late_receiver", 1, "MPI_Waitall"}, 150}});
}

TEST_CASE("the last 64 waits are looked back at") {
  for (const std::uint32_t waits : {64U, 65U}) {
    CAPTURE(waits);
    waitstates::MemoryTrace trace(3);
    trace.call(1, 50, 60, "MPI_Send", {waitstates::sent(2)});
    for (std::uint32_t at = 0; at < waits; ++at) {
      trace.call(0, 200 + 100 * at, 201 + 100 * at, "MPI_Send", {waitstates::sent(2)});
      trace.call(2, 190 + 100 * at, 203 + 100 * at, "MPI_Recv", {waitstates::received(0)});
    }
    trace.call(2, 100000, 100001, "MPI_Recv", {waitstates::received(1)});
    waitstates::FoundWaits expected{{{"late_sender_wrong_order", 2, "MPI_Recv"}, 640}};
    if (waits > 64) expected[{"late_sender", 2, "MPI_Recv"}] = 10;
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) == expected);
  }
}
