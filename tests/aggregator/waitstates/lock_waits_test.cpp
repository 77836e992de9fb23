#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

namespace {

traces::Event window_lock(std::uint32_t window, std::uint32_t target, bool exclusive) {
  traces::Event event = waitstates::of_window(traces::EventKind::kWindowLocked, window);
  event.peer = target;
  event.request = exclusive ? 1 : 0;
  return event;
}

traces::Event window_unlock(std::uint32_t window, std::uint32_t target) {
  traces::Event event = waitstates::of_window(traces::EventKind::kWindowUnlocked, window);
  event.peer = target;
  return event;
}

traces::Event thread_lock(traces::EventKind kind, std::uint32_t lock, std::uint64_t order) {
  traces::Event event = waitstates::of_team(kind, lock);
  event.request = order;
  return event;
}

// Ranks 1 and 2 lock rank 0's part of a window.
struct TwoOrigins {
  waitstates::MemoryTrace trace{3};
  std::uint32_t window = trace.add_window();

  void lock(std::uint32_t rank, std::uint64_t from, std::uint64_t to, bool exclusive) {
    trace.call(rank, from, to, "MPI_Win_lock", {window_lock(window, 0, exclusive)});
  }
  void unlock(std::uint32_t rank, std::uint64_t from, std::uint64_t to) {
    trace.call(rank, from, to, "MPI_Win_unlock", {window_unlock(window, 0)});
  }
};

}  // namespace

TEST_CASE("who wants an exclusive lock waits until its holder begins to release it") {
  TwoOrigins origins;
  origins.lock(1, 100, 110, true);
  origins.unlock(1, 500, 520);
  SUBCASE("in MPI_Win_lock, where that blocks") {
    origins.lock(2, 200, 525, true);
    origins.unlock(2, 600, 610);
    CHECK(waitstates::waits_in(waitstates::report_of(origins.trace)) ==
          waitstates::FoundWaits{{{"lock_contention", 2, "MPI_Win_lock"}, 300}});
  }
  SUBCASE("in MPI_Win_unlock, where MPI_Win_lock returns at once") {
    origins.lock(2, 200, 201, true);
    origins.unlock(2, 300, 610);
    CHECK(waitstates::waits_in(waitstates::report_of(origins.trace)) ==
          waitstates::FoundWaits{{{"lock_contention", 2, "MPI_Win_unlock"}, 200}});
  }
  SUBCASE("of another window it does not") {
    const std::uint32_t other = origins.trace.add_window();
    origins.trace.call(2, 200, 525, "MPI_Win_lock", {window_lock(other, 0, true)});
    origins.trace.call(2, 600, 610, "MPI_Win_unlock", {window_unlock(other, 0)});
    CHECK(waitstates::waits_in(waitstates::report_of(origins.trace)).empty());
  }
}

TEST_CASE("who had the lock first does not wait for the one who had it later") {
  TwoOrigins origins;
  origins.lock(1, 100, 101, true);
  origins.unlock(1, 200, 500);  // a long transfer
  origins.lock(2, 150, 151, true);
  origins.unlock(2, 300, 700);
  // Rank 2's unlock began in rank 1's, but ended behind it; rank 1 had begun to release it before.
  CHECK(waitstates::waits_in(waitstates::report_of(origins.trace)).empty());
}

TEST_CASE("shared locks exclude exclusive ones only") {
  for (const bool exclusive : {false, true}) {
    CAPTURE(exclusive);
    TwoOrigins origins;
    origins.lock(1, 100, 110, false);
    origins.unlock(1, 500, 520);
    origins.lock(2, 200, 525, exclusive);
    origins.unlock(2, 600, 610);
    waitstates::FoundWaits expected;
    if (exclusive) expected[{"lock_contention", 2, "MPI_Win_lock"}] = 300;
    CHECK(waitstates::waits_in(waitstates::report_of(origins.trace)) == expected);
  }
}

TEST_CASE("a thread waits for a lock until the one that had it before releases it") {
  waitstates::MemoryTrace trace(1);
  const std::uint32_t second = trace.add_thread(0);
  const auto critical = [&](std::uint32_t location, std::uint64_t from, std::uint64_t got,
                            std::uint64_t until, std::uint64_t order) {
    trace.enter(location, from, "omp critical");
    trace.add(location, got, thread_lock(traces::EventKind::kLockAcquired, 5, order));
    trace.add(location, until, thread_lock(traces::EventKind::kLockReleased, 5, order));
    trace.leave(location, until, "omp critical");
  };
  critical(0, 100, 101, 300, 1);
  critical(second, 150, 305, 400, 2);
  critical(0, 350, 402, 500, 3);
  critical(second, 600, 601, 700, 4);
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"openmp_lock_contention", second, "omp critical"}, 150},
                               {{"openmp_lock_contention", 0, "omp critical"}, 50}});
}

TEST_CASE(
    "a lock that is got in another region of OpenMP than one that gets locks shows no waiting") {
  waitstates::MemoryTrace trace(1);
  const std::uint32_t second = trace.add_thread(0);
  for (const std::uint32_t location : {0U, second}) {
    trace.enter(location, 100, "omp single");
    trace.add(location, 150 + location * 200,
              thread_lock(traces::EventKind::kLockAcquired, 5, location));
    trace.add(location, 300 + location * 200,
              thread_lock(traces::EventKind::kLockReleased, 5, location));
    trace.leave(location, 600, "omp single");
  }
  CHECK(waitstates::waits_in(waitstates::report_of(trace)).empty());
}

TEST_CASE("a lock in a function that does more than to get it shows no waiting") {
  waitstates::MemoryTrace trace(1);
  const std::uint32_t second = trace.add_thread(0);
  for (const std::uint32_t location : {0U, second}) {
    trace.enter(location, 100, "f");
    trace.add(location, 150 + location * 200,
              thread_lock(traces::EventKind::kLockAcquired, 5, location));
    trace.add(location, 300 + location * 200,
              thread_lock(traces::EventKind::kLockReleased, 5, location));
    trace.leave(location, 600, "f");
  }
  CHECK(waitstates::waits_in(waitstates::report_of(trace)).empty());
}
