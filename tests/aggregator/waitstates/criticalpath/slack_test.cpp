#include "aggregator/waitstates/criticalpath/slack.hpp"

#include <doctest/doctest.h>

#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/detail/slack_pass.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

const PathSlack& slack_in(const SlackReport& report, std::uint32_t call_path, std::uint32_t rank) {
  for (const PathSlack& found : report.call_paths)
    if (found.call_path == call_path && found.rank == rank) return found;
  throw Error("no such call path in the report of slack");
}

TEST_CASE("at a barrier the slack of each rank is what it waits") {
  LogBuilder builder(3);
  const std::uint64_t works[] = {50, 100, 80};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    builder.call(rank, works[rank], 100, "main/work", "main/MPI_Barrier");
    builder.span(rank, 0, 100);
  }
  builder.barrier({{0, 0}, {1, 0}, {2, 0}});
  const SlackReport report = slack_of(builder.build());
  const std::uint32_t work = builder.path("main/work");
  CHECK(slack_in(report, work, 0) == PathSlack{work, 0, 50, 0, 50, 50});
  CHECK(slack_in(report, work, 1) == PathSlack{work, 1, 100, 100, 0, 0});
  CHECK(slack_in(report, work, 2) == PathSlack{work, 2, 80, 0, 20, 20});
  CHECK(report.run_time == 100);
  CHECK(report.stretched_run_time == 100);
  CHECK(report.ranks[0].stretch == doctest::Approx(2));
  CHECK(report.ranks[1].stretch == 1);
  CHECK(report.ranks[2].stretch == doctest::Approx(1.25));
}

TEST_CASE("a rank that is late at one barrier and early at the next has no slack as a whole") {
  LogBuilder builder(2);
  builder.call(0, 100, 100, "main/a", "main/MPI_Barrier");
  builder.call(0, 150, 200, "main/b", "main/MPI_Barrier");
  builder.call(1, 50, 100, "main/a", "main/MPI_Barrier");
  builder.call(1, 200, 200, "main/b", "main/MPI_Barrier");
  builder.barrier({{0, 0}, {1, 0}});
  builder.barrier({{0, 1}, {1, 1}});
  for (std::uint32_t rank = 0; rank < 2; ++rank) builder.span(rank, 0, 200);
  SlackOptions options;
  options.most_added = 0.01;
  const SlackReport report = slack_of(builder.build(), options);
  CHECK(slack_in(report, builder.path("main/a"), 1).apportioned == 50);
  CHECK(slack_in(report, builder.path("main/b"), 0).apportioned == 50);
  CHECK(report.stretched_run_time <= 202);
  CHECK(report.ranks[0].stretch <= 1.02);
  CHECK(report.ranks[1].stretch <= 1.02);
}

TEST_CASE("the fast stages of a pipeline are stretched over its items") {
  // Stage 0 takes 10 for an item and sends without waiting; stage 1 takes 40.
  LogBuilder builder(2);
  for (std::uint64_t item = 0; item < 10; ++item) {
    builder.call(0, 10 * (item + 1), 10 * (item + 1), "main/fast", "main/MPI_Send");
    const std::uint64_t asks = item == 0 ? 0 : 10 + 40 * item;
    builder.call(1, asks, std::max<std::uint64_t>(asks, 10), item == 0 ? "main" : "main/slow",
                 "main/MPI_Recv");
    builder.message(0, item, 1, item);
  }
  builder.call(0, 100, 410, "main", "main/MPI_Barrier");
  builder.call(1, 410, 410, "main/slow", "main/MPI_Barrier");
  builder.barrier({{0, 10}, {1, 10}});
  for (std::uint32_t rank = 0; rank < 2; ++rank) builder.span(rank, 0, 410);
  SlackOptions options;
  options.most_added = 0.08;  // the first item is critical
  const SlackReport report = slack_of(builder.build(), options);
  CHECK(report.ranks[0].stretch > 2);
  CHECK(report.ranks[1].stretch < 1.08);
  CHECK(report.stretched_run_time <= 442);
}

TEST_CASE("an interval may grow by its total slack, alone, and not by a tick more") {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const RandomProgram program(2 + seed % 6, 25, seed);
    const ActivityLog log = program.log();
    const Replay unchanged(log, MeasuredTimes());
    const SlackPass pass(log, unchanged);
    const std::uint64_t run_time = program.run_time();
    REQUIRE(unchanged.run_time() == run_time);
    for (std::uint32_t rank = 0; rank < program.ranks(); ++rank)
      for (std::uint64_t call = 0; call <= program.calls_of(rank); ++call) {
        const std::uint64_t total = pass.total(rank, log.first_of(rank) + call);
        const auto with = [&](std::uint64_t more) {
          return program.run_time([&](std::uint32_t r, std::uint64_t c, std::uint64_t ticks) {
            return r == rank && c == call ? ticks + more : ticks;
          });
        };
        CAPTURE(seed);
        CAPTURE(rank);
        CAPTURE(call);
        CHECK(with(total) == run_time);
        CHECK(with(total + 1) == run_time + 1);
      }
  }
}

TEST_CASE("all intervals at once may grow by their own parts") {
  std::uint64_t all = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomProgram program(2 + seed % 9, 120, seed);
    const ActivityLog log = program.log();
    const Replay unchanged(log, MeasuredTimes());
    const SlackPass pass(log, unchanged);
    const std::uint64_t grown =
        program.run_time([&](std::uint32_t rank, std::uint64_t call, std::uint64_t ticks) {
          const std::uint64_t part = pass.apportioned(rank, log.first_of(rank) + call);
          all += part;
          return ticks + part;
        });
    CAPTURE(seed);
    CHECK(grown == program.run_time());
  }
  CHECK(all > 0);
}

TEST_CASE("all ranks stretched at once stay within what was allowed") {
  std::uint64_t stretched_ranks = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const RandomProgram program(3 + seed % 6, 150, seed);
    SlackOptions options;
    options.most_added = seed % 2 == 0 ? 0.01 : 0.1;
    const SlackReport report = slack_of(program.log(), options);
    const std::uint64_t slower =
        program.run_time([&](std::uint32_t rank, std::uint64_t, std::uint64_t ticks) {
          return stretched(ticks, report.ranks[rank].stretch);
        });
    CAPTURE(seed);
    CHECK(report.run_time == program.run_time());
    CHECK(report.stretched_run_time == slower);
    CHECK(static_cast<double>(slower) <=
          static_cast<double>(program.run_time()) * (1 + options.most_added));
    for (const RankSlack& rank : report.ranks) stretched_ranks += rank.stretch > 1.001 ? 1 : 0;
  }
  CHECK(stretched_ranks > 40);
}

TEST_CASE("times by call path add up to those by rank") {
  const RandomProgram program(5, 200, 3);
  const SlackReport report = slack_of(program.log());
  std::vector<std::uint64_t> sums(5);
  for (const PathSlack& slack : report.call_paths) {
    sums[slack.rank] += slack.computation;
    CHECK(slack.critical <= slack.computation);
  }
  for (std::uint32_t rank = 0; rank < 5; ++rank)
    CHECK(sums[rank] == report.ranks[rank].computation);
}

}  // namespace
}  // namespace huddle::waitstates
