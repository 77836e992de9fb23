#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "aggregator/waitstates/criticalpath/critical_path.hpp"
#include "aggregator/waitstates/criticalpath/detail/path_walk.hpp"
#include "aggregator/waitstates/criticalpath/slack.hpp"
#include "tests/aggregator/waitstates/criticalpath/log_builder.hpp"
#include "tests/aggregator/waitstates/criticalpath/random_program.hpp"

namespace huddle::waitstates {
namespace {

// Some longer, some shorter, each in its own way.
std::uint64_t otherwise(std::uint32_t rank, std::uint64_t call, std::uint64_t ticks) {
  return ticks * (1 + (rank * 7 + call * 13) % 5) / 2;
}

class Otherwise final : public ComputationTimes {
 public:
  explicit Otherwise(const ActivityLog& log) : log_(log) {}
  [[nodiscard]] std::uint64_t ticks(std::uint32_t rank, std::uint64_t activity,
                                    std::uint64_t measured) const override {
    return otherwise(rank, activity - log_.first_of(rank), measured);
  }

 private:
  const ActivityLog& log_;
};

struct Sum {
  void computation(std::uint32_t, std::uint64_t, std::uint64_t ticks) { ticks_ += ticks; }
  void mpi(std::uint32_t, std::uint64_t, std::uint64_t ticks) { ticks_ += ticks; }
  void before_begin(std::uint32_t, std::uint64_t ticks) { ticks_ += ticks; }
  void on(std::uint32_t, std::uint64_t, std::uint64_t) {}
  void jump() {}
  std::uint64_t ticks_ = 0;
};

TEST_CASE("with nothing changed a replay is the measured run, to the tick") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const RandomProgram program(2 + seed % 7, 80, seed);
    const ActivityLog log = program.log();
    const Replay replay(log, MeasuredTimes());
    CAPTURE(seed);
    CHECK(replay.run_time() == log.run_time());
    CHECK(replay.circles() == 0);
    for (std::uint64_t activity = 0; activity < log.size(); ++activity) {
      CHECK(replay.enter(activity) == log[activity].enter);
      CHECK(replay.leave(activity) == log[activity].leave);
      CHECK(replay.cause_of(activity).activity == log.cause_of(activity).activity);
    }
  }
}

TEST_CASE("with other computation a replay takes what the program would take") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomProgram program(2 + seed % 9, 100, seed);
    const ActivityLog log = program.log();
    const Replay replay(log, Otherwise(log));
    CAPTURE(seed);
    CHECK(replay.run_time() == program.run_time(otherwise));
    Sum sum;
    walk_critical_path(log, replay, sum);
    CHECK(sum.ticks_ == replay.run_time());
  }
}

TEST_CASE("on an ideal network a replay takes what the program would take without transfer") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const RandomProgram program(2 + seed % 9, 100, seed);
    const ActivityLog log = program.log();
    const Replay replay(log, MeasuredTimes(), nullptr, Network::kIdeal);
    CAPTURE(seed);
    CHECK(replay.run_time() == program.on_ideal_network().run_time());
    for (std::uint64_t activity = 0; activity < log.size(); ++activity)
      CHECK(replay.leave(activity) ==
            std::max(replay.enter(activity), replay.cause_of(activity).time));
  }
}

TEST_CASE("ranks that wait for each other in a circle are let go, and counted") {
  LogBuilder builder(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    builder.call(rank, 5, 10);
    builder.call(rank, 10, 10);
    builder.span(rank, 0, 12);
  }
  builder.message(0, 1, 1, 0);
  builder.message(1, 1, 0, 0);
  const ActivityLog log = builder.build();
  const Replay replay(log, MeasuredTimes());
  CHECK(replay.circles() == 1);
  CHECK(replay.run_time() == 12);
}

// Calls of three ranks that all happen at about the same time, and any dependencies at all.
ActivityLog senseless_log(std::uint64_t seed) {
  LogBuilder builder(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    for (std::uint64_t call = 0; call < 20; ++call)
      builder.call(rank, 10 + call, 10 + call + seed % 2);
    builder.span(rank, 0, 40);
  }
  auto draw = [state = seed](std::uint64_t below) mutable {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (int i = 0; i < 300; ++i) {
    Dependency dependency;
    dependency.activity = draw(22);
    dependency.begun_by = draw(22);
    dependency.on = draw(22);
    dependency.rank = static_cast<std::uint32_t>(draw(4));
    dependency.place = static_cast<std::uint32_t>(draw(4));
    dependency.members = static_cast<std::uint32_t>(draw(4));
    dependency.root = static_cast<std::uint32_t>(draw(4));
    dependency.kind = static_cast<DependencyKind>(draw(7));
    builder.buffer.add(static_cast<std::uint32_t>(draw(4)), dependency);
  }
  return builder.build();
}

TEST_CASE("however senseless dependencies are, all comes to an end") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const ActivityLog log = senseless_log(seed);
    CHECK(log.left_out() > 0);
    const Replay replay(log, Otherwise(log));
    Sum sum;
    walk_critical_path(log, replay, sum);
    CHECK(critical_path_of(log).run_time == 40);
    const SlackReport slack = slack_of(log);
    CHECK(slack.run_time >= 40);
    CHECK(slack.ranks.size() == 3);
  }
}

}  // namespace
}  // namespace huddle::waitstates
