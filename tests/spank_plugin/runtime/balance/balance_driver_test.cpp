#include "spank_plugin/runtime/balance/balance_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace huddle::runtime {
namespace {

const std::vector<Hertz> kClocks = {{1.2e9}, {1.5e9}, {1.8e9}, {2.1e9}, {2.4e9}};

class FakeActuator final : public ClockActuator {
 public:
  void ask(Hertz asked, Seconds until) noexcept override {
    clock = asked;
    lease = until;
    ++asks;
  }
  Hertz achieved(std::uint64_t, std::uint64_t) noexcept override { return clock; }
  [[nodiscard]] bool alive() const noexcept override { return lives; }

  Hertz clock = kClocks.back();
  Seconds lease;
  int asks = 0;
  bool lives = true;
};

/// Rounds of all ranks in one process.
struct Rounds {
  explicit Rounds(std::size_t count) : ranks(count) {}
  struct Round {
    std::optional<balancing::BalanceReport> all;
    std::size_t given = 0;
    std::size_t taken = 0;
  };
  std::size_t ranks;
  std::vector<Round> rounds;
};

class FakeExchange final : public ReportExchange {
 public:
  explicit FakeExchange(Rounds& rounds) : rounds_(rounds) {}
  bool start(const balancing::BalanceReport& mine) noexcept override {
    if (rounds_.rounds.size() <= round_) rounds_.rounds.resize(round_ + 1);
    Rounds::Round& round = rounds_.rounds[round_];
    balancing::BalanceReport report = mine;
    if (round.all) report.combine(*round.all);
    round.all = report;
    ++round.given;
    return true;
  }
  std::optional<balancing::BalanceReport> finished() noexcept override {
    if (rounds_.rounds[round_].given < rounds_.ranks) return {};
    return rounds_.rounds[round_++].all;
  }

 private:
  Rounds& rounds_;
  std::size_t round_ = 0;
};

struct FakeRank {
  explicit FakeRank(Rounds& rounds)
      : exchange(rounds), driver(balancing::ClockSteps(kClocks), {}, actuator, exchange, {}) {}
  FakeActuator actuator;
  FakeExchange exchange;
  BalanceDriver driver;
  RankMoment now;

  void compute(double seconds_at_top) {
    const double seconds = seconds_at_top * (kClocks.back() / actuator.clock);
    now.nanoseconds += static_cast<std::uint64_t>(seconds * 1e9);
    now.ticks = 3 * now.nanoseconds;
  }
  void wait_until(std::uint64_t nanoseconds) {
    now.ticks_inside += 3 * (nanoseconds - now.nanoseconds);
    now.nanoseconds = nanoseconds;
    now.ticks = 3 * nanoseconds;
  }
  void pass(std::uint64_t key) {
    driver.pass(key, [&] { return now; });
  }
};

class World {
 public:
  explicit World(std::size_t ranks) : rounds_(ranks) {
    for (std::size_t i = 0; i < ranks; ++i) ranks_.push_back(std::make_unique<FakeRank>(rounds_));
  }
  FakeRank& operator[](std::size_t rank) { return *ranks_[rank]; }

  /// Ranks first to last - 1 compute, wait for each other, and pass these delimiters.
  void meet(std::size_t first, std::size_t last, const std::function<double(std::size_t)>& load,
            const std::vector<std::uint64_t>& keys) {
    std::uint64_t latest = 0;
    for (std::size_t i = first; i < last; ++i) {
      ranks_[i]->compute(load(i));
      latest = std::max(latest, ranks_[i]->now.nanoseconds);
    }
    for (std::size_t i = first; i < last; ++i) {
      ranks_[i]->wait_until(latest + 100'000);
      for (const std::uint64_t key : keys) ranks_[i]->pass(key);
    }
  }
  void meet(const std::function<double(std::size_t)>& load,
            const std::vector<std::uint64_t>& keys) {
    meet(0, ranks_.size(), load, keys);
  }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }

 private:
  Rounds rounds_;
  std::vector<std::unique_ptr<FakeRank>> ranks_;
};

double uneven(std::size_t rank) {
  return rank == 0 ? 0.020 : 0.012;
}

}  // namespace

TEST_CASE("clocks follow the loads of a program with a cycle, without costing time") {
  World world(4);
  for (int i = 0; i < 200; ++i) world.meet(uneven, {1, 2, 1});
  for (std::size_t rank = 0; rank < 4; ++rank)
    CHECK(world[rank].actuator.clock == (rank == 0 ? kClocks[4] : kClocks[1]));
  CHECK(static_cast<double>(world[0].now.nanoseconds) * 1e-9 == doctest::Approx(200 * 0.0201));
  CHECK(world[1].actuator.lease.value > 0.02);
  CHECK(world[1].driver.clock_changes() == 1);
  CHECK(world[0].driver.clock_changes() == 0);
  // The mean is that of the periods' time, of which some were at the top before the first change.
  CHECK(world[0].driver.summary()->lowest == kClocks[4]);
  CHECK(world[0].driver.summary()->mean.value == doctest::Approx(kClocks[4].value));
  CHECK(world[1].driver.summary()->lowest == kClocks[1]);
  CHECK(world[1].driver.summary()->mean > kClocks[1]);
  CHECK(world[1].driver.summary()->mean < kClocks[1] * 1.2);
}

TEST_CASE("short cycles are taken together, and loads of one cycle are compared") {
  World world(4);
  for (int i = 0; i < 4000; ++i)
    world.meet([](std::size_t rank) { return uneven(rank) / 20; }, {1});
  CHECK(world[0].actuator.clock == kClocks[4]);
  CHECK(world[3].actuator.clock < kClocks[2]);
  CHECK(world[0].driver.periods() < 4000 / 4);
}

TEST_CASE("where no cycle is found, stretches of time serve") {
  World world(4);
  std::uint64_t key = 0;
  for (int i = 0; i < 1000; ++i) world.meet(uneven, {++key * 7919});
  CHECK(world[0].actuator.clock == kClocks[4]);
  CHECK(world[2].actuator.clock < kClocks[4]);
  CHECK(static_cast<double>(world[0].now.nanoseconds) * 1e-9 < 1000 * 0.0201 * 1.01);
}

TEST_CASE("groups of ranks that meet at different paces are compared by the time they take") {
  World world(4);
  // Two ranks meet each 20 ms, two each 10 ms; in both groups one has less than half as much to do.
  for (int i = 0; i < 400; ++i) {
    world.meet(0, 2, [](std::size_t rank) { return rank == 0 ? 0.020 : 0.009; }, {1});
    for (int half = 0; half < 2; ++half)
      world.meet(2, 4, [](std::size_t rank) { return rank == 2 ? 0.010 : 0.0045; }, {2});
  }
  CHECK(world[0].actuator.clock == kClocks[4]);
  CHECK(world[1].actuator.clock == kClocks[0]);
  CHECK(world[2].actuator.clock == kClocks[4]);
  CHECK(world[3].actuator.clock == kClocks[0]);
}

TEST_CASE("a keeper that is gone ends balancing on all ranks") {
  World world(4);
  for (int i = 0; i < 60; ++i) world.meet(uneven, {1});
  REQUIRE(world[2].actuator.clock < kClocks[4]);
  world[3].actuator.lives = false;
  for (int i = 0; i < 80; ++i) world.meet(uneven, {1});
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(world[rank].actuator.clock == kClocks[4]);
    CHECK(world[rank].driver.status().rest == balancing::BalanceRest::kStopped);
  }
}

TEST_CASE("while a rank does not report, the others have the top clock") {
  World world(4);
  for (int i = 0; i < 60; ++i) world.meet(uneven, {1});
  REQUIRE(world[1].actuator.clock < kClocks[4]);
  for (int i = 0; i < 10; ++i) world.meet(0, 3, uneven, {1});
  CHECK(world[1].actuator.clock == kClocks[4]);
  for (int i = 0; i < 100; ++i) world.meet(uneven, {1});
  CHECK(world[1].actuator.clock < kClocks[4]);
}

TEST_CASE("with nothing to gain no clock is asked for, and reports get rare") {
  World world(4);
  for (int i = 0; i < 4000; ++i) world.meet([](std::size_t) { return 0.006; }, {1});
  for (std::size_t rank = 0; rank < 4; ++rank) CHECK(world[rank].actuator.asks == 0);
  CHECK(world[0].driver.periods() < 1500);
}

TEST_CASE("at the end the clock goes to the top, and stays") {
  World world(2);
  for (int i = 0; i < 60; ++i) world.meet(uneven, {1});
  REQUIRE(world[1].actuator.clock < kClocks[4]);
  world[1].driver.end();
  CHECK(world[1].actuator.clock == kClocks[4]);
  const int asks = world[1].actuator.asks;
  world[1].pass(1);
  world[1].driver.end();
  CHECK(world[1].actuator.asks == asks);
}

}  // namespace huddle::runtime
