#include "aggregator/waitstates/replay/detail/event_queue.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/memory_trace.hpp"

namespace huddle::waitstates {
namespace {

// Each case is tried with both.
std::size_t threads() {
  std::size_t count = 0;
  SUBCASE("the replay reads by itself") {
    count = 0;
  }
  SUBCASE("a thread reads ahead") {
    count = 1;
  }
  return count;
}

void skip(EventQueue& queue, EventNumber to) {
  while (queue.number() < to) {
    REQUIRE(queue.front() != nullptr);
    queue.pop();
  }
}

TEST_CASE("a queue gives a location's events in order, with their numbers") {
  MemoryTrace trace(1);
  constexpr std::uint64_t kEvents = 5000;
  for (std::uint64_t time = 0; time < kEvents; ++time) trace.add(0, time, sent(0));
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  for (std::uint64_t time = 0; time < kEvents; ++time) {
    REQUIRE(queue.number() == time);
    REQUIRE(queue.front() != nullptr);
    REQUIRE(queue.front()->time == time);
    queue.pop();
  }
  CHECK(queue.front() == nullptr);
  CHECK(queue.damage().empty());
}

TEST_CASE("what is read before a damage is there, and the damage is kept") {
  MemoryTrace trace(1);
  for (std::uint64_t time = 0; time < 4; ++time) trace.add(0, time, sent(0));
  trace.damaged_after = {2};
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  skip(queue, 2);
  CHECK(queue.front() == nullptr);
  CHECK_FALSE(queue.damage().empty());
}

TEST_CASE("events of a request name it, and its end is found ahead") {
  MemoryTrace trace(1);
  trace.add(0, 1, icollective(7));
  for (std::uint64_t time = 2; time < 3000; ++time) trace.add(0, time, sent(0));
  trace.add(0, 3000, icollective_ends(7, traces::Collective::kBarrier));
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  const std::uint32_t request = queue.front()->group;
  REQUIRE(request != kNoIndex);
  CHECK(queue.find_end(request));
  CHECK(queue.requests()[request].end.collective == traces::Collective::kBarrier);
  CHECK(queue.requests().living() == 1);
  queue.requests().release(request);
  CHECK(queue.requests().living() == 0);
  CHECK(queue.front()->time == 1);  // it still is where it was
}

TEST_CASE("an end without a begin, or of another kind, belongs to no request") {
  MemoryTrace trace(1);
  trace.add(0, 1, isend_ends(3));
  trace.add(0, 2, irecv(4));
  trace.add(0, 3, isend_ends(4));
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  CHECK(queue.front()->group == kNoIndex);
  skip(queue, 2);
  CHECK(queue.front()->group == kNoIndex);
}

TEST_CASE("receives posted before, still open and of the same envelope come first") {
  MemoryTrace trace(2);
  trace.add(0, 1, irecv(1));
  trace.add(0, 2, irecv(2));
  trace.add(0, 3, irecv(3));
  trace.add(0, 4, irecv_ends(3, 1, 5));
  trace.add(0, 5, irecv_ends(1, 1, 5));
  trace.add(0, 6, irecv_ends(2, 1, 6));  // another tag
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  REQUIRE(queue.front() != nullptr);
  skip(queue, 3);
  REQUIRE(queue.front() != nullptr);
  CHECK(queue.receives_before(2) == 1);
  CHECK(queue.receives_before(0) == 0);
}

TEST_CASE("a receive that ends beyond the reach is taken to be of another envelope") {
  MemoryTrace trace(2);
  trace.add(0, 1, irecv(1));
  trace.add(0, 2, received(1));
  for (EventNumber i = 0; i < EventQueue::kReceiveReach + 10; ++i) trace.add(0, 3, sent(1));
  trace.add(0, 4, irecv_ends(1, 1));
  ReadAhead reading(threads());
  EventQueue queue(reading, trace.events_of(0));
  skip(queue, 1);
  REQUIRE(queue.front() != nullptr);
  CHECK(queue.receives_before(queue.number()) == 0);
}

}  // namespace
}  // namespace huddle::waitstates
