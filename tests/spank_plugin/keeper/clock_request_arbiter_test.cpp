#include "spank_plugin/keeper/clock_request_arbiter.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace huddle::keeper {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint32_t kMost32 = std::numeric_limits<std::uint32_t>::max();

ClockRequestArbiter one_clock(std::vector<std::uint32_t> steps = {}) {
  return ClockRequestArbiter({{{1000, 3000}, std::move(steps)}}, milliseconds(1));
}

// What it decides, taken for written at once.
std::uint32_t decided(ClockRequestArbiter& arbiter, MonotonicNs now) {
  const std::uint32_t khz = arbiter.decide(0, now).khz;
  arbiter.note_written(0, khz, now);
  return khz;
}

TEST_CASE("a clock that nobody uses is at the envelope's top") {
  ClockRequestArbiter arbiter = one_clock();
  CHECK(decided(arbiter, 1) == 3000);
  CHECK(arbiter.decide(0, 1).again_ns == kNever);
}

TEST_CASE("the highest ask holds, and a rank without one asks for the top") {
  ClockRequestArbiter arbiter = one_clock();
  arbiter.join(0, 1);
  CHECK(decided(arbiter, 1 * kMs) == 3000);
  CHECK(arbiter.ask(0, 1, {1500, 0}));
  CHECK(decided(arbiter, 2 * kMs) == 1500);
  arbiter.join(0, 2);
  CHECK(decided(arbiter, 4 * kMs) == 3000);
  CHECK(arbiter.ask(0, 2, {2000, 0}));
  CHECK(decided(arbiter, 6 * kMs) == 2000);
  CHECK(arbiter.ask(0, 1, {2500, 0}));
  CHECK(decided(arbiter, 8 * kMs) == 2500);
  arbiter.leave(0, 1);
  CHECK(decided(arbiter, 10 * kMs) == 2000);
  arbiter.leave(0, 2);
  CHECK(decided(arbiter, 12 * kMs) == 3000);
}

TEST_CASE("what is asked twice is no news, and who has not joined is not heard") {
  ClockRequestArbiter arbiter = one_clock();
  arbiter.join(0, 1);
  CHECK(arbiter.ask(0, 1, {1500, 7}));
  CHECK_FALSE(arbiter.ask(0, 1, {1500, 7}));
  CHECK_FALSE(arbiter.ask(0, 2, {1500, 7}));
}

TEST_CASE("an ask is moved into the envelope") {
  const ClockRequestArbiter arbiter = one_clock();
  CHECK(arbiter.moved(0, 1) == 1000);
  CHECK(arbiter.moved(0, 1234) == 1234);
  CHECK(arbiter.moved(0, 99'999) == 3000);
}

TEST_CASE("an ask is moved up onto a step, never down, and not above the envelope") {
  const ClockRequestArbiter arbiter = one_clock({800, 1200, 1600, 2800, 3200});
  CHECK(arbiter.moved(0, 1) == 1200);
  CHECK(arbiter.moved(0, 1200) == 1200);
  CHECK(arbiter.moved(0, 1201) == 1600);
  CHECK(arbiter.moved(0, 2801) == 3000);
  CHECK(arbiter.moved(0, 3000) == 3000);
  CHECK(one_clock({500}).moved(0, 1500) == 3000);
}

TEST_CASE("garbage counts as no wish") {
  ClockRequestArbiter arbiter = one_clock();
  arbiter.join(0, 1);
  arbiter.ask(0, 1, {1500, 0});
  CHECK(decided(arbiter, 1 * kMs) == 1500);
  for (const std::uint32_t khz : {0U, frequency::ClockLimits::kMostKhz + 1, kMost32}) {
    arbiter.ask(0, 1, {khz, 0});
    CHECK(arbiter.decide(0, 3 * kMs).khz == 3000);
  }
}

TEST_CASE("an ask holds until its lease ends, and the top holds from then on") {
  ClockRequestArbiter arbiter = one_clock();
  arbiter.join(0, 1);
  arbiter.ask(0, 1, {1500, 10 * kMs});
  ClockRequestArbiter::Decision decision = arbiter.decide(0, 10 * kMs - 1);
  CHECK(decision.khz == 1500);
  CHECK(decision.again_ns == 10 * kMs);
  decision = arbiter.decide(0, 10 * kMs);
  CHECK(decision.khz == 3000);
  CHECK(decision.again_ns == kNever);
  arbiter.ask(0, 1, {1500, kNever});
  CHECK(arbiter.decide(0, 11 * kMs).khz == 1500);
}

TEST_CASE("a clock is raised at once and lowered so often only") {
  ClockRequestArbiter arbiter = one_clock();
  arbiter.join(0, 1);
  arbiter.ask(0, 1, {2000, 0});
  arbiter.note_written(0, 3000, 0);
  CHECK(decided(arbiter, 10 * kMs) == 2000);
  arbiter.ask(0, 1, {2500, 0});
  CHECK(decided(arbiter, 10 * kMs + 1) == 2500);
  arbiter.ask(0, 1, {1500, 0});
  const ClockRequestArbiter::Decision decision = arbiter.decide(0, 10 * kMs + 2);
  CHECK(decision.khz == 2500);
  CHECK(decision.again_ns == 11 * kMs);
  // The clock that holds when it may be lowered is the one that is asked for then.
  arbiter.ask(0, 1, {1700, 0});
  CHECK(decided(arbiter, 11 * kMs) == 1700);
}

TEST_CASE("a rank learns why its clock is not what it asked for") {
  ClockRequestArbiter arbiter = one_clock({1000, 2000, 3000});
  arbiter.join(0, 1);
  arbiter.join(0, 2);
  arbiter.ask(0, 1, {1000, 0});
  arbiter.ask(0, 2, {1500, 5 * kMs});
  CHECK(arbiter.verdict(0, {0, 0}, 2000, 1) == ClockVerdict::kNoWish);
  CHECK(arbiter.verdict(0, {1000, 0}, 2000, 1) == ClockVerdict::kHigherAsk);
  CHECK(arbiter.verdict(0, {1500, 5 * kMs}, 2000, 1) == ClockVerdict::kMoved);
  CHECK(arbiter.verdict(0, {1500, 5 * kMs}, 3000, 1) == ClockVerdict::kSoon);
  CHECK(arbiter.verdict(0, {2000, 0}, 2000, 1) == ClockVerdict::kAsAsked);
  CHECK(arbiter.verdict(0, {1500, 5 * kMs}, 3000, 5 * kMs) == ClockVerdict::kLeaseOver);
}

TEST_CASE("whatever is asked, the decision is within the envelope, and a step or its top") {
  std::mt19937_64 random(4711);
  const std::vector<std::uint32_t> steps = {900, 1100, 1900, 2700, 4000};
  for (int round = 0; round < 2000; ++round) {
    ClockRequestArbiter arbiter = one_clock(round % 2 == 0 ? steps : std::vector<std::uint32_t>{});
    MonotonicNs now = random() >> (random() % 64);
    for (int i = 0; i < 20; ++i) {
      const ClockRequestArbiter::Rank rank = random() % 3;
      if (random() % 4 == 0) arbiter.leave(0, rank), arbiter.join(0, rank);
      arbiter.ask(0, rank,
                  {static_cast<std::uint32_t>(random() >> (32 + random() % 32)),
                   random() >> (random() % 64)});
      now += random() % (2 * kMs);
      const ClockRequestArbiter::Decision decision = arbiter.decide(0, now);
      REQUIRE(decision.khz >= 1000);
      REQUIRE(decision.khz <= 3000);
      REQUIRE(decision.again_ns > now);
      if (round % 2 == 0)
        REQUIRE((decision.khz == 3000 || std::count(steps.begin(), steps.end(), decision.khz)));
      arbiter.note_written(0, decision.khz, now);
    }
  }
}

}  // namespace
}  // namespace huddle::keeper
