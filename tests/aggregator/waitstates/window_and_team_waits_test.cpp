#include <doctest/doctest.h>

#include "tests/aggregator/waitstates/found_waits.hpp"

using namespace huddle;

TEST_CASE("all wait at a fence until the last one comes") {
  waitstates::MemoryTrace trace(2);
  const std::uint32_t window = trace.add_window();
  trace.call(0, 100, 260, "MPI_Win_fence",
             {waitstates::of_window(traces::EventKind::kWindowFence, window)});
  trace.call(1, 250, 261, "MPI_Win_fence",
             {waitstates::of_window(traces::EventKind::kWindowFence, window)});
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"wait_at_fence", 0, "MPI_Win_fence"}, 150}});
}

TEST_CASE("an access epoch waits for the last post in its start, or else in its end") {
  waitstates::MemoryTrace trace(3);
  const std::uint32_t window = trace.add_window();
  const std::uint32_t targets = trace.add_group({1, 2});
  const std::uint32_t origin = trace.add_group({0});
  trace.call(1, 200, 201, "MPI_Win_post",
             {waitstates::of_window(traces::EventKind::kWindowPost, window, origin)});
  trace.call(2, 300, 301, "MPI_Win_post",
             {waitstates::of_window(traces::EventKind::kWindowPost, window, origin)});
  SUBCASE("a start that blocks") {
    trace.call(0, 100, 305, "MPI_Win_start",
               {waitstates::of_window(traces::EventKind::kWindowStart, window, targets)});
    trace.call(0, 400, 410, "MPI_Win_complete",
               {waitstates::of_window(traces::EventKind::kWindowComplete, window)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_post", 0, "MPI_Win_start"}, 200}});
  }
  SUBCASE("a start that does not") {
    trace.call(0, 100, 250, "MPI_Win_start",
               {waitstates::of_window(traces::EventKind::kWindowStart, window, targets)});
    trace.call(0, 270, 310, "MPI_Win_complete",
               {waitstates::of_window(traces::EventKind::kWindowComplete, window)});
    CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
          waitstates::FoundWaits{{{"late_post", 0, "MPI_Win_complete"}, 30}});
  }
}

TEST_CASE("an exposure epoch waits for the last origin to complete") {
  waitstates::MemoryTrace trace(3);
  const std::uint32_t window = trace.add_window();
  const std::uint32_t target = trace.add_group({1});
  const std::uint32_t origins = trace.add_group({0, 2});
  trace.call(1, 100, 101, "MPI_Win_post",
             {waitstates::of_window(traces::EventKind::kWindowPost, window, origins)});
  trace.call(1, 200, 510, "MPI_Win_wait",
             {waitstates::of_window(traces::EventKind::kWindowWait, window)});
  for (const std::uint32_t rank : {0U, 2U}) {
    trace.call(rank, 150, 151, "MPI_Win_start",
               {waitstates::of_window(traces::EventKind::kWindowStart, window, target)});
    trace.call(rank, 400 + 50 * rank, 505, "MPI_Win_complete",
               {waitstates::of_window(traces::EventKind::kWindowComplete, window)});
  }
  CHECK(waitstates::waits_in(waitstates::report_of(trace)) ==
        waitstates::FoundWaits{{{"late_complete", 1, "MPI_Win_wait"}, 300}});
}

TEST_CASE("threads wait at a barrier of their team") {
  waitstates::MemoryTrace trace(1);
  const std::uint32_t second = trace.add_thread(0);
  const std::uint32_t third = trace.add_thread(0);
  const std::uint32_t team = trace.add_team({0, second, third});
  const std::uint64_t enters[] = {100, 300, 250};
  for (const std::uint32_t location : {0U, second, third}) {
    trace.add(location, 10, waitstates::of_team(traces::EventKind::kTeamBegin, team));
    trace.call(location, enters[location], 310, "omp barrier");
    trace.call(location, 400 + location, 410, "omp barrier implicit");
    trace.add(location, 420, waitstates::of_team(traces::EventKind::kTeamEnd, team));
  }
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_openmp_barrier", 0, "omp barrier"}, 200},
                               {{"wait_at_openmp_barrier", third, "omp barrier"}, 50},
                               {{"wait_at_openmp_barrier", 0, "omp barrier implicit"}, 2},
                               {{"wait_at_openmp_barrier", second, "omp barrier implicit"}, 1}});
}

TEST_CASE("a thread that runs tasks in a barrier does not wait meanwhile") {
  waitstates::MemoryTrace trace(1);
  const std::uint32_t second = trace.add_thread(0);
  const std::uint32_t team = trace.add_team({0, second});
  for (const std::uint32_t location : {0U, second})
    trace.add(location, 10, waitstates::of_team(traces::EventKind::kTeamBegin, team));
  trace.enter(0, 100, "omp barrier");
  trace.call(0, 150, 350, "task");
  trace.leave(0, 410, "omp barrier");
  trace.call(second, 400, 410, "omp barrier");
  const waitstates::WaitReport report = waitstates::report_of(trace);
  CHECK(waitstates::waits_in(report) ==
        waitstates::FoundWaits{{{"wait_at_openmp_barrier", 0, "omp barrier"}, 110}});
  REQUIRE(report.times.size() == 3);
  CHECK(report.times[0].ticks == 110);
}
