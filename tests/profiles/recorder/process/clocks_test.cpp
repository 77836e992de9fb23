#include "profiles/recorder/process/clocks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using huddle::recorder::CallClock;

namespace {

// The result of a clock for calls that last `durations`, with `pause` ticks between them.
struct Outcome {
  std::uint64_t timed = 0;
  double estimate = 0;
  double truth = 0;
};

Outcome run(const std::vector<std::uint64_t>& durations, std::uint64_t calls, std::uint64_t pause) {
  CallClock clock;
  Outcome outcome;
  std::uint64_t now = 0;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const std::uint64_t duration = durations[i % durations.size()];
    now += pause;
    const bool due = !clock.passes_over();
    now += duration;
    outcome.truth += static_cast<double>(duration);
    if (!due) continue;
    ++outcome.timed;
    outcome.estimate += static_cast<double>(duration) * clock.weigh(now);
  }
  return outcome;
}

}  // namespace

TEST_CASE("every call is timed where calls are rarer than the budget") {
  const Outcome outcome = run({100, 5000}, 100'000, CallClock::kTicksPerCall);
  CHECK(outcome.timed == 100'000);
  CHECK(outcome.estimate == outcome.truth);
}

TEST_CASE("a burst of calls is timed whole while it is short") {
  CHECK(run({50}, CallClock::kMostSaved, 50).timed == CallClock::kMostSaved);
}

TEST_CASE("calls that follow one another quickly are timed by the budget only") {
  const std::uint64_t calls = 1'000'000;
  const Outcome outcome = run({50}, calls, 50);
  const std::uint64_t budget = calls * 100 / CallClock::kTicksPerCall + CallClock::kMostSaved;
  CHECK(outcome.timed <= budget + calls / CallClock::kStride);
  CHECK(outcome.timed > budget / 2);
}

TEST_CASE("the time in sampled calls is estimated without bias, whatever pattern they come in") {
  // Periods that a fixed stride of 128 would be in step with, and one that it would not.
  for (const std::uint64_t period : {2U, 3U, 16U, 64U, 128U, 256U}) {
    std::vector<std::uint64_t> durations(period, 40);
    durations[0] = 1000;
    const Outcome outcome = run(durations, 10'000'000, 30);
    CAPTURE(period);
    CHECK(outcome.timed < 1'000'000);
    CHECK(outcome.estimate == doctest::Approx(outcome.truth).epsilon(0.03));
  }
}

TEST_CASE("a clock knows whether calls were passed over since the last one that it timed") {
  CallClock clock;
  std::uint64_t now = 0;
  bool passed_over = false;
  bool always_known = true;
  for (std::uint64_t i = 0; i < 10 * CallClock::kMostSaved; ++i) {
    if (clock.passes_over()) {
      passed_over = true;
      continue;
    }
    always_known = always_known && (!passed_over || !clock.times_all());
    clock.weigh(++now);
    passed_over = false;
  }
  CHECK(always_known);
  CHECK_FALSE(clock.times_all());
}

TEST_CASE("a clock that passes over no call times all, however quickly they come") {
  CallClock clock;
  std::uint64_t now = 0;
  for (std::uint64_t i = 0; i < 3 * CallClock::kMostSaved; ++i) {
    if (!clock.passes_over()) clock.weigh(++now);
  }
  clock.pass_over_none();
  clock.weigh(++now);  // of a call that had been drawn before
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE_FALSE(clock.passes_over());
    REQUIRE(clock.weigh(++now) == 1);
  }
}
