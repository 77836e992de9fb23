#include "aggregator/balance/balance_simulation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::balance {
namespace {

constexpr double kTop = 2.4e9;

BalancedMachine machine() {
  BalancedMachine result;
  for (const double clock : {1.2e9, 1.5e9, 1.8e9, 2.1e9, 2.4e9}) {
    const double dynamic = 6 * std::pow(clock / kTop, 3);
    result.power.push_back({{clock}, {20 + dynamic}, {20 + 0.6 * dynamic}});
  }
  return result;
}

LoadTable table(const std::vector<double>& loads, std::size_t iterations) {
  LoadTable result;
  result.processors = static_cast<std::uint32_t>(loads.size());
  for (std::uint32_t rank = 0; rank < loads.size(); ++rank) result.processor_of.push_back(rank);
  for (std::size_t i = 0; i < iterations; ++i)
    result.loads.insert(result.loads.end(), loads.begin(), loads.end());
  return result;
}

BalanceScheme clocks() {
  BalanceScheme scheme;
  scheme.clocks = true;
  return scheme;
}

}  // namespace

TEST_CASE("without clocks, time and energy are those of the closed form") {
  BalancedMachine hardware = machine();
  hardware.besides = {0.1};
  const BalanceOutcome outcome = simulate_balancing(table({1, 0.5}, 10), hardware, {});
  CHECK(outcome.time.value == doctest::Approx(11));
  CHECK(outcome.energy.value == doctest::Approx(10 * (26 * 1.5 + 23.6 * (0.1 + 0.6))));
  CHECK(outcome.clock_changes == 0);
}

TEST_CASE("with clocks energy is as the model says once they have settled") {
  const BalanceOutcome outcome = simulate_balancing(table({1, 0.5}, 1000), machine(), clocks());
  CHECK(outcome.time.value == doctest::Approx(1000));
  // The second rank computes all the time at 1.2 GHz, but for the first periods and looks.
  const double settled = 26 + 20 + 6.0 / 8;
  CHECK(outcome.energy.value > 1000 * settled);
  CHECK(outcome.energy.value < 1000 * settled * 1.005);
  CHECK(outcome.rest == balancing::BalanceRest::kNone);
}

TEST_CASE("clocks settle within two balance points, without costing time") {
  const BalanceOutcome outcome =
      simulate_balancing(table({1, 0.55, 0.7}, 250), machine(), clocks());
  CHECK(outcome.settled_at <= 2);
  CHECK(outcome.time.value == doctest::Approx(250));
}

TEST_CASE("of one clock the most loaded core decides, and regrouped ranks save more") {
  const LoadTable loads = table({1, 0.5, 0.9, 0.4, 0.5, 0.95, 0.45, 0.5}, 200);
  BalanceScheme coarse = clocks();
  coarse.domain_of = {0, 0, 0, 0, 1, 1, 1, 1};
  BalanceScheme regrouped = coarse;
  regrouped.node_of.assign(8, 0);
  const BalanceOutcome none = simulate_balancing(loads, machine(), {});
  const BalanceOutcome alone = simulate_balancing(loads, machine(), coarse);
  const BalanceOutcome together = simulate_balancing(loads, machine(), regrouped);
  const BalanceOutcome fine = simulate_balancing(loads, machine(), clocks());
  CHECK(alone.energy.value < none.energy.value * 1.0001);
  CHECK(together.energy.value < 0.97 * alone.energy.value);
  CHECK(fine.energy.value < together.energy.value);
  CHECK(together.moved_ranks >= 2);
  CHECK(together.time.value == doctest::Approx(none.time.value));
}

TEST_CASE("objects are moved where that is shorter, and what transfers take is paid") {
  LoadTable loads = table({1, 1, 1, 1, 0.5, 0.5}, 100);
  loads.has_objects = true;
  loads.processors = 2;
  loads.processor_of = {0, 0, 0, 1, 1, 1};
  BalanceScheme greedy = clocks();
  greedy.time_balancer = TimeBalancer::kGreedy;
  BalancedMachine hardware = machine();
  const BalanceOutcome free = simulate_balancing(loads, hardware, greedy);
  CHECK(free.time.value < 0.87 * 300);
  CHECK(free.moved_objects > 0);
  hardware.migration = {0.01};
  const BalanceOutcome paid = simulate_balancing(loads, hardware, greedy);
  CHECK(paid.time.value ==
        doctest::Approx(free.time.value + 0.01 * static_cast<double>(paid.moved_objects)));
  hardware.migration = {100};
  CHECK(simulate_balancing(loads, hardware, greedy).moved_objects == 0);
}

TEST_CASE("a lease raises the clock of a rank whose load grows, within that period") {
  LoadTable loads = table({1, 0.5}, 60);
  for (std::size_t iteration = 40; iteration < 60; ++iteration) loads.loads[iteration * 2 + 1] = 1;
  const BalanceOutcome outcome = simulate_balancing(loads, machine(), clocks());
  // Half done at 1.1 s, the rest at the top clock: 0.55 s late once, not 1 s.
  CHECK(outcome.time.value == doctest::Approx(60.55).epsilon(0.001));
}

TEST_CASE("sizes that don't match are refused") {
  BalanceScheme scheme = clocks();
  scheme.domain_of = {0};
  CHECK_THROWS_AS(simulate_balancing(table({1, 1}, 1), machine(), scheme), Error);
  BalancedMachine hardware = machine();
  hardware.sensitivity = {1};
  CHECK_THROWS_AS(simulate_balancing(table({1, 1}, 1), hardware, clocks()), Error);
  hardware.power.clear();
  CHECK_THROWS_AS(simulate_balancing(table({1, 1}, 1), hardware, clocks()), Error);
}

}  // namespace huddle::balance
