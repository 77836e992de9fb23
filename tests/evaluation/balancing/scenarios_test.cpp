#include "tests/evaluation/balancing/scenarios.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace huddle::balancing {
namespace {

balance::BalanceScheme with_clocks(balance::TimeBalancer balancer = balance::TimeBalancer::kNone) {
  balance::BalanceScheme scheme;
  scheme.clocks = true;
  scheme.time_balancer = balancer;
  return scheme;
}

/// Loads with l below 2, so that equation (1) acts at all.
balance::LoadTable moderate_loads() {
  return rank_loads(24, 250, [](std::size_t, std::uint32_t rank) { return 1 - 0.018 * rank; });
}

}  // namespace

TEST_CASE("equation (1) taken literally sees its own clocks as loads, and costs time and energy") {
  const balance::BalancedMachine machine = published_machine();
  const balance::LoadTable loads = moderate_loads();
  const balance::BalanceOutcome top = balance::simulate_balancing(loads, machine, {});
  const balance::BalanceOutcome literal = literal_energylb(loads, machine, 10);
  CHECK(literal.time.value > 1.2 * top.time.value);
  CHECK(literal.energy.value > top.energy.value);
  const balance::BalanceOutcome work = balance::simulate_balancing(loads, machine, with_clocks());
  CHECK(work.time.value < 1.001 * top.time.value);
  CHECK(work.energy.value < 0.93 * top.energy.value);
}

TEST_CASE("the published scenario keeps its time, and saves what can be saved, whatever the draw") {
  const balance::BalancedMachine machine = published_machine();
  std::vector<double> saved;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const balance::LoadTable loads = published_loads(seed);
    const balance::BalanceOutcome top = balance::simulate_balancing(loads, machine, {});
    const balance::BalanceOutcome clocks =
        balance::simulate_balancing(loads, machine, with_clocks());
    CHECK(clocks.time.value <= 1.01 * top.time.value);
    saved.push_back(1 - clocks.energy / top.energy);

    balance::BalanceScheme greedy;
    greedy.time_balancer = balance::TimeBalancer::kGreedy;
    const balance::BalanceOutcome moved = balance::simulate_balancing(loads, machine, greedy);
    const balance::BalanceOutcome both =
        balance::simulate_balancing(loads, machine, with_clocks(balance::TimeBalancer::kGreedy));
    CHECK(both.time.value <= moved.time.value * 1.0001);
    CHECK(both.last_imbalance <= 1.05);
  }
  std::sort(saved.begin(), saved.end());
  CHECK(saved[20] >= 0.09);
}

TEST_CASE("half memory-bound loads within the clocks' range are not handed over") {
  balance::BalancedMachine machine = published_machine();
  machine.sensitivity.assign(24, 0.5);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(1, 0.01);
    const balance::LoadTable loads = rank_loads(24, 250, [&](std::size_t, std::uint32_t rank) {
      return (1 - 0.02 * rank) * noise(random);
    });
    const balance::BalanceOutcome top = balance::simulate_balancing(loads, machine, {});
    const balance::BalanceOutcome clocks =
        balance::simulate_balancing(loads, machine, with_clocks());
    CHECK(clocks.handed_over == 0);
    CHECK(clocks.time.value <= 1.01 * top.time.value);
  }
}

}  // namespace huddle::balancing
