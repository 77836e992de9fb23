#include "aggregator/waitstates/criticalpath/critical_path.hpp"

#include <doctest/doctest.h>

#include <string>

#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

std::uint64_t on_path(const CriticalPath& path, std::uint32_t call_path, std::uint32_t rank) {
  for (const CriticalPathShare& share : path.shares)
    if (share.call_path == call_path && share.rank == rank) return share.on_path;
  return 0;
}

const CriticalCallPath& of(const CriticalPath& path, std::uint32_t call_path) {
  for (const CriticalCallPath& found : path.call_paths)
    if (found.call_path == call_path) return found;
  throw Error("no such call path on the critical path's list");
}

TEST_CASE("the path goes through the rank that comes last to a barrier") {
  LogBuilder builder(3);
  const std::uint64_t works[] = {40, 100, 70};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    builder.call(rank, works[rank], 105, "main/work", "main/MPI_Barrier");
    builder.span(rank, 0, 105);
  }
  builder.barrier({{0, 0}, {1, 0}, {2, 0}});
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 105);
  CHECK(path.jumps == 1);  // rank 0 is the first of those that end last
  const std::uint32_t work = builder.path("main/work");
  const std::uint32_t barrier = builder.path("main/MPI_Barrier");
  CHECK(on_path(path, work, 1) == 100);
  CHECK(on_path(path, barrier, 0) == 5);
  CHECK(on_path(path, work, 0) == 0);
  CHECK(of(path, work).imbalance == 30);    // 100 less a mean of 70
  CHECK(of(path, barrier).imbalance == 0);  // 5 everywhere
  CHECK(path.computation == 210);
  CHECK(path.waiting == 90);
  CHECK(path.lost == 3 * 105 - 210);
  CHECK(path.intervals == std::vector<CriticalInterval>{{1, 0, 100}, {0, 100, 105}});
}

TEST_CASE("the path follows late senders from rank to rank") {
  // Each computes 10 (rank 0: 50) and sends to the next one.
  LogBuilder builder(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    if (rank > 0) builder.call(rank, 5, 50 + 14 * (rank - 1) + 2, "main", "main/MPI_Recv");
    const std::uint64_t sends = 50 + 14 * rank;
    builder.call(rank, sends, sends + 1, "main/work", "main/MPI_Send");
    if (rank > 0) builder.message(rank - 1, rank == 1 ? 0 : 1, rank, 0);
    builder.span(rank, 0, sends + 1);
  }
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 93);
  CHECK(path.jumps == 3);
  const std::uint32_t work = builder.path("main/work");
  CHECK(on_path(path, work, 0) == 50);
  CHECK(on_path(path, work, 1) == 12);
  CHECK(on_path(path, work, 3) == 12);
  CHECK(on_path(path, builder.path("main/MPI_Recv"), 2) == 2);
  CHECK(on_path(path, builder.path("main/MPI_Send"), 3) == 1);
  CHECK(on_path(path, builder.path("main/MPI_Send"), 0) == 0);
}

TEST_CASE("a sender that waits for its receiver hands the path over to it") {
  LogBuilder builder(2);
  builder.call(0, 10, 93, "main", "main/MPI_Ssend");
  builder.call(1, 90, 93, "main/slow", "main/MPI_Recv");
  builder.rendezvous(0, 0, 1, 0);
  builder.message(0, 0, 1, 0);
  builder.computed(0, 95, "main");
  builder.span(0, 0, 95);
  builder.span(1, 0, 94);
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 95);
  CHECK(on_path(path, builder.path("main/slow"), 1) == 90);
  CHECK(on_path(path, builder.path("main/MPI_Ssend"), 0) == 3);
  CHECK(on_path(path, builder.path("main"), 0) == 2);
}

TEST_CASE("time between two calls counts where it was spent, and so do imbalance and slack") {
  // Both assemble for 60; then rank 1 solves for 40 while rank 0 waits.
  LogBuilder builder(2);
  builder.computed(0, 60, "main/assemble");
  builder.call(0, 60, 101, "main/assemble", "main/MPI_Barrier");
  builder.computed(1, 60, "main/assemble");
  builder.call(1, 100, 101, "main/solve", "main/MPI_Barrier");
  builder.barrier({{0, 1}, {1, 1}});
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.computed(rank, 111, "main/output");
    builder.span(rank, 0, 111);
  }
  const ActivityLog log = builder.build();
  const CriticalPath path = critical_path_of(log);
  const auto imbalance = [&](const std::string& name) {
    for (const CriticalCallPath& here : path.call_paths)
      if (here.call_path == builder.path(name)) return here.imbalance;
    return std::uint64_t{0};
  };
  CHECK(on_path(path, builder.path("main/assemble"), 1) == 60);
  CHECK(on_path(path, builder.path("main/solve"), 1) == 40);
  CHECK(on_path(path, builder.path("main/output"), 0) == 10);
  CHECK(imbalance("main/assemble") == 0);
  CHECK(imbalance("main/solve") == 20);
  CHECK(imbalance("main/output") == 0);
  for (const PathSlack& slack : slack_of(log).call_paths) {
    CAPTURE(slack.call_path);
    const bool waits = slack.call_path == builder.path("main/assemble") && slack.rank == 0;
    CHECK(slack.largest_total == (waits ? 40 : 0));
    CHECK(slack.apportioned == (waits ? 40 : 0));
    CHECK(slack.critical == (waits ? 0 : slack.computation));
  }
}

TEST_CASE("what the pieces of computation before a call may grow by is shared by their lengths") {
  LogBuilder builder(2);
  builder.computed(0, 10, "main/a");
  builder.computed(0, 40, "main/b");
  builder.call(0, 41, 101, "main/a", "main/MPI_Barrier");
  builder.call(1, 100, 101, "main/a", "main/MPI_Barrier");
  builder.barrier({{0, 2}, {1, 0}});
  for (std::uint32_t rank = 0; rank < 2; ++rank) builder.span(rank, 0, 101);
  std::uint64_t sum = 0;
  for (const PathSlack& slack : slack_of(builder.build()).call_paths) {
    if (slack.rank != 0) continue;
    sum += slack.apportioned;
    CHECK(slack.largest_total == 59);
    if (slack.call_path == builder.path("main/b")) CHECK(slack.apportioned == 43);  // 30 of 41
  }
  CHECK(sum == 59);
}

TEST_CASE("of a master and workers those are on the path that the master waits for") {
  // Two jobs for each of two workers; worker 2 is slow with its second one.
  LogBuilder builder(3);
  builder.call(0, 0, 1, "main", "main/MPI_Send");    // 0: to 1
  builder.call(0, 1, 2, "main", "main/MPI_Send");    // 1: to 2
  builder.call(0, 2, 12, "main", "main/MPI_Recv");   // 2: from 1
  builder.call(0, 12, 23, "main", "main/MPI_Recv");  // 3: from 2
  builder.call(1, 0, 1, "main", "main/MPI_Recv");
  builder.call(1, 11, 12, "main/job", "main/MPI_Send");
  builder.call(2, 0, 2, "main", "main/MPI_Recv");
  builder.call(2, 22, 23, "main/job", "main/MPI_Send");
  builder.message(0, 0, 1, 0);
  builder.message(0, 1, 2, 0);
  builder.message(1, 1, 0, 2);
  builder.message(2, 1, 0, 3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) builder.span(rank, 0, 23);
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 23);
  CHECK(on_path(path, builder.path("main/job"), 2) == 20);
  CHECK(on_path(path, builder.path("main/job"), 1) == 0);
  CHECK(on_path(path, builder.path("main/MPI_Send"), 0) == 1);  // its first
}

TEST_CASE("time before a rank's begin and a run without MPI are on the path too") {
  LogBuilder builder(2);
  builder.span(0, 0, 10);
  builder.span(1, 5, 30);
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 30);
  REQUIRE(path.shares.size() == 2);
  CHECK(path.shares[1] == CriticalPathShare{CallPath::kRoot, 1, 30, 30});
}

TEST_CASE("what contradicts the clocks is not followed, and counted") {
  LogBuilder builder(2);
  builder.call(0, 50, 51);
  builder.call(1, 10, 20);
  builder.message(0, 0, 1, 0);  // ended at 20 what was sent at 50
  builder.span(0, 0, 51);
  builder.span(1, 0, 60);
  const CriticalPath path = critical_path_of(builder.build());
  CHECK(path.run_time == 60);
  CHECK(path.jumps == 0);
  CHECK(path.contradictions == 1);
}

TEST_CASE("calls that wait for each other without taking time don't make a path endless") {
  LogBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.call(rank, 5, 10);
    builder.call(rank, 10, 10);
    builder.span(rank, 0, 10);
  }
  builder.message(0, 1, 1, 0);
  builder.message(1, 1, 0, 0);
  CHECK(critical_path_of(builder.build()).run_time == 10);
}

TEST_CASE("the pieces of a random program's path join up to its run time") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomProgram program(2 + seed % 7, 60, seed);
    const ActivityLog log = program.log(seed % 2 == 0 ? 1000 : 16U << 20U);
    const CriticalPath path = critical_path_of(log);
    CAPTURE(seed);
    CHECK(path.run_time == program.run_time());
    CHECK(path.contradictions == 0);
    std::uint64_t sum = 0;
    for (const CriticalPathShare& share : path.shares) {
      CHECK(share.on_path <= share.ticks);
      sum += share.on_path;
    }
    CHECK(sum == path.run_time);
    std::uint64_t time = 0;
    for (const CriticalInterval& interval : path.intervals) {
      CHECK(interval.begin == time);
      time = interval.end;
    }
    CHECK(time == path.run_time);
  }
}

TEST_CASE("of more intervals than request for the longest are kept, in order") {
  const RandomProgram program(4, 400, 5);
  const ActivityLog log = program.log();
  const std::vector<CriticalInterval> all = critical_path_of(log).intervals;
  const std::vector<CriticalInterval> some = critical_path_of(log, 10).intervals;
  REQUIRE(all.size() > 20);
  REQUIRE(some.size() == 10);
  std::vector<std::uint64_t> lengths;
  for (const CriticalInterval& interval : all) lengths.push_back(interval.end - interval.begin);
  std::sort(lengths.rbegin(), lengths.rend());
  for (std::size_t i = 0; i < some.size(); ++i) {
    CHECK(some[i].end - some[i].begin >= lengths[9]);
    if (i > 0) CHECK(some[i - 1].end <= some[i].begin);
  }
}

}  // namespace
}  // namespace huddle::waitstates
