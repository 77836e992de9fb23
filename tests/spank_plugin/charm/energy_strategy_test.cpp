#include "spank_plugin/charm/energy_strategy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/spank_plugin/charm/chare_cases.hpp"

namespace huddle::charm {
namespace {

struct DrawnChares {
  explicit DrawnChares(std::mt19937_64& random, bool all_available) {
    std::uniform_real_distribution<double> share(0, 1);
    const auto pes = static_cast<std::uint32_t>(1 + random() % 12);
    const bool background = random() % 2 == 0;
    const bool speeds = random() % 3 == 0;
    for (std::uint32_t pe = 0; pe < pes; ++pe)
      loads.pes.push_back({{background ? share(random) : 0},
                           speeds ? 0.5 + share(random) : 1,
                           all_available || pe == 0 || share(random) < 0.8,
                           {random() % 2 == 0 ? 0 : 1.2e9 + share(random) * 1.2e9},
                           static_cast<std::uint32_t>(random() % pes)});
    const auto chares = random() % (pes * 8);
    for (std::uint64_t i = 0; i < chares; ++i)
      loads.chares.push_back({{share(random)},
                              static_cast<std::uint32_t>(random() % pes),
                              share(random) < 0.8,
                              share(random) < 0.5 ? 1 : share(random)});
    for (std::uint64_t i = 0; chares > 0 && i < random() % (2 * chares + 1); ++i)
      loads.links.push_back({static_cast<std::uint32_t>(random() % chares),
                             static_cast<std::uint32_t>(random() % chares),
                             random() % 100,
                             {random() % 1'000'000}});
    settings.balancer = static_cast<ChareBalancer>(random() % 5);
    settings.patience = static_cast<std::uint32_t>(1 + random() % 3);
    settings.learn_sensitivity = false;
  }

  ChareLoads loads;
  EnergySettings settings;
};

}  // namespace

TEST_CASE("in random cases each chare is on one available PE, and those that can't move stay") {
  std::mt19937_64 random(41);
  int moved = 0;
  for (int round = 0; round < 5000; ++round) {
    const DrawnChares drawn(random, false);
    EnergyStrategy strategy(published_steps(), drawn.settings);
    const EnergyDecision decision = strategy.balance(drawn.loads);
    REQUIRE(decision.pe_of.size() == drawn.loads.chares.size());
    std::uint32_t differ = 0;
    for (std::size_t i = 0; i < decision.pe_of.size(); ++i) {
      const ChareLoad& chare = drawn.loads.chares[i];
      if (decision.pe_of[i] != chare.pe) ++differ;
      if (!chare.migratable)
        REQUIRE(decision.pe_of[i] == chare.pe);
      else
        REQUIRE(drawn.loads.pes.at(decision.pe_of[i]).available);
    }
    REQUIRE(decision.moved == differ);
    REQUIRE(decision.handed_over == (differ > 0));
    if (differ > 0) ++moved;
  }
  CHECK(moved > 500);
}

TEST_CASE("where all PEs are available no decision makes an interval longer") {
  std::mt19937_64 random(42);
  for (int round = 0; round < 5000; ++round) {
    const DrawnChares drawn(random, true);
    const balancing::ClockSteps steps = published_steps();
    EnergyStrategy strategy(steps, drawn.settings);
    const EnergyDecision decision = strategy.balance(drawn.loads);
    REQUIRE(decision.length_after <= decision.length_before);
    if (decision.handed_over) REQUIRE(decision.length_after < decision.length_before);
  }
}

TEST_CASE("at the clocks that are chosen no PE is later than the one that decides the length") {
  std::mt19937_64 random(43);
  int lowered = 0;
  for (int round = 0; round < 5000; ++round) {
    DrawnChares drawn(random, true);
    drawn.settings.patience = 1;
    const balancing::ClockSteps steps = published_steps();
    EnergyStrategy strategy(steps, drawn.settings);
    const EnergyDecision decision = strategy.balance(drawn.loads);
    EnergyDecision at_top = decision;
    std::fill(at_top.clocks.begin(), at_top.clocks.end(), steps.most());
    const double length = longest_pe(next_interval(drawn.loads, at_top, steps));
    REQUIRE(longest_pe(next_interval(drawn.loads, decision, steps)) <= length * (1 + 1e-6));
    for (const Hertz clock : decision.clocks)
      if (clock < steps.most()) ++lowered;
  }
  CHECK(lowered > 1000);
}

TEST_CASE("loads that stay the same move chares once, and settle the clocks") {
  std::mt19937_64 random(44);
  for (int round = 0; round < 1000; ++round) {
    DrawnChares drawn(random, round % 2 == 0);
    const balancing::ClockSteps steps = published_steps();
    EnergyStrategy strategy(steps, drawn.settings);
    ChareLoads loads = drawn.loads;
    std::vector<Hertz> clocks;
    for (std::uint32_t point = 0; point < 10; ++point) {
      const EnergyDecision decision = strategy.balance(loads);
      if (point > 0) REQUIRE_FALSE(decision.handed_over);
      if (point > 2 + drawn.settings.patience) REQUIRE(decision.clocks == clocks);
      clocks = decision.clocks;
      loads = next_interval(loads, decision, steps);
    }
  }
}

TEST_CASE("without a balancer chares stay, and PEs that wait get lower clocks") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 3; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  loads.chares = {{{1.0}, 0}, {{0.5}, 1}, {{0.75}, 2}};
  EnergySettings settings;
  settings.balancer = ChareBalancer::kNone;
  settings.learn_sensitivity = false;
  EnergyStrategy strategy(balancing::ClockSteps({{1e9}, {1.5e9}, {2e9}}), settings);
  CHECK(strategy.balance(loads).clocks == std::vector<Hertz>{{2e9}, {2e9}, {2e9}});
  const EnergyDecision decision = strategy.balance(loads);
  CHECK(decision.imbalance == doctest::Approx(2));
  CHECK_FALSE(decision.beyond_clocks);
  CHECK_FALSE(decision.handed_over);
  CHECK(decision.clocks == std::vector<Hertz>{{2e9}, {1e9}, {1.5e9}});
  CHECK(decision.lease.value == doctest::Approx(3));
  loads.interval = {1.5};
  CHECK(strategy.balance(loads).lease.value == doctest::Approx(4.5));

  // Loads measured at lower clocks are the same work, and equation 2 does not change by them.
  const EnergyDecision again = strategy.balance(next_interval(loads, decision, strategy.steps()));
  CHECK(again.imbalance == doctest::Approx(2));
  CHECK(again.clocks == decision.clocks);
}

TEST_CASE("a clock rises at once, and falls when balance points agree") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 2; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  loads.chares = {{{1.0}, 0}, {{0.5}, 1}};
  EnergySettings settings;
  settings.balancer = ChareBalancer::kNone;
  EnergyStrategy strategy(balancing::ClockSteps({{1e9}, {2e9}}), settings);
  strategy.balance(loads);
  CHECK(strategy.balance(loads).clocks[1] == Hertz{1e9});
  loads.chares[1].time = {0.9};
  CHECK(strategy.balance(loads).clocks[1] == Hertz{2e9});
  loads.chares[1].time = {0.5};
  CHECK(strategy.balance(loads).clocks[1] == Hertz{2e9});
  CHECK(strategy.balance(loads).clocks[1] == Hertz{1e9});
}

TEST_CASE("PEs that share a clock get what the most loaded of them needs") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 4; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe / 2});
  loads.chares = {{{1.0}, 0}, {{0.5}, 1}, {{0.75}, 2}, {{0.5}, 3}};
  EnergySettings settings;
  settings.balancer = ChareBalancer::kNone;
  settings.patience = 1;
  EnergyStrategy strategy(balancing::ClockSteps({{1e9}, {1.5e9}, {2e9}}), settings);
  CHECK(strategy.balance(loads).clocks == std::vector<Hertz>{{2e9}, {1.5e9}});
}

TEST_CASE("background load keeps chares away, and counts for the clock") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 2; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  loads.pes[1].background = {4};
  for (int i = 0; i < 4; ++i) loads.chares.push_back({{1.0}, 1});
  EnergySettings settings;
  settings.patience = 1;
  EnergyStrategy strategy(published_steps(), settings);
  const EnergyDecision decision = strategy.balance(loads);
  CHECK(decision.pe_of == balancing::WorkPlacement{0, 0, 0, 0});
  CHECK(decision.length_before.value == doctest::Approx(8));
  CHECK(decision.length_after.value == doctest::Approx(4));
  loads = next_interval(loads, decision, strategy.steps());
  CHECK(strategy.balance(loads).clocks == std::vector<Hertz>{{2.4e9}, {2.4e9}});
}

TEST_CASE("chares leave a PE that is not available any more, even without a balancer") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 3; ++pe) loads.pes.push_back({{0}, 1, pe != 1, {0}, pe});
  loads.chares = {{{1.0}, 0}, {{1.0}, 1}, {{1.0}, 1, false}, {{0.5}, 2}};
  EnergySettings settings;
  settings.balancer = ChareBalancer::kNone;
  const EnergyDecision decision = EnergyStrategy(published_steps(), settings).balance(loads);
  CHECK(decision.pe_of == balancing::WorkPlacement{0, 2, 1, 2});
  CHECK(decision.moved == 1);
}

TEST_CASE("a faster PE gets more") {
  ChareLoads loads;
  loads.pes = {{{0}, 1, true, {0}, 0}, {{0}, 3, true, {0}, 1}};
  for (int i = 0; i < 8; ++i) loads.chares.push_back({{1.0}, 0});
  for (const ChareBalancer balancer : {ChareBalancer::kGreedy, ChareBalancer::kRefine}) {
    EnergySettings settings;
    settings.balancer = balancer;
    const EnergyDecision decision = EnergyStrategy(published_steps(), settings).balance(loads);
    CHECK(std::count(decision.pe_of.begin(), decision.pe_of.end(), 1U) == 6);
    CHECK(decision.length_after.value == doctest::Approx(2));
  }
}

TEST_CASE("balancers that count messages keep together what talks") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 2; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  // Two talking pairs, all on one PE.
  for (int i = 0; i < 4; ++i) loads.chares.push_back({{1.0}, 0});
  loads.links = {{0, 2, 1000, {1000}}, {1, 3, 1000, {1000}}};
  for (const ChareBalancer balancer : {ChareBalancer::kGreedyComm, ChareBalancer::kRefineComm}) {
    EnergySettings settings;
    settings.balancer = balancer;
    settings.per_message = {3e-4};
    const EnergyDecision decision = EnergyStrategy(published_steps(), settings).balance(loads);
    CHECK(decision.pe_of[0] == decision.pe_of[2]);
    CHECK(decision.pe_of[1] == decision.pe_of[3]);
    CHECK(decision.pe_of[0] != decision.pe_of[1]);
  }
}

TEST_CASE("chares that were moved for nothing are not moved again for as little") {
  EnergyStrategy strategy(published_steps(), {});
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 2; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  const auto measure = [&](std::uint32_t heavy) {
    // Whatever is moved, the next interval has its work elsewhere.
    loads.chares.assign(20, {{0.1}, 0});
    for (std::uint32_t i = 0; i < 20; ++i) loads.chares[i].pe = i < 11 ? heavy : 1 - heavy;
    return strategy.balance(loads);
  };
  int moves = 0;
  for (std::uint32_t point = 0; point < 20; ++point)
    if (measure(point % 2).handed_over) ++moves;
  CHECK(moves == 1);
}

TEST_CASE("impossible loads and settings are refused") {
  EnergyStrategy strategy(published_steps(), {});
  ChareLoads good;
  good.pes.push_back({});
  good.chares.push_back({{1.0}, 0});
  CHECK_NOTHROW(strategy.balance(good));
  const auto refused = [&](const auto& spoil) {
    ChareLoads loads = good;
    spoil(loads);
    CHECK_THROWS_AS(strategy.balance(loads), Error);
  };
  refused([](ChareLoads& loads) { loads.chares[0].pe = 1; });
  refused([](ChareLoads& loads) { loads.chares[0].time = {-1}; });
  refused([](ChareLoads& loads) { loads.chares[0].sensitivity = 1.1; });
  refused([](ChareLoads& loads) { loads.pes[0].available = false; });
  refused([](ChareLoads& loads) { loads.pes[0].speed = 0; });
  refused([](ChareLoads& loads) { loads.pes[0].clock_domain = 1; });
  refused([](ChareLoads& loads) {
    loads.pes[0].achieved = {std::numeric_limits<double>::quiet_NaN()};
  });
  refused([](ChareLoads& loads) { loads.links.push_back({0, 1, 1, {1}}); });
  refused([](ChareLoads& loads) { loads.pes.clear(); });
  EnergySettings settings;
  settings.patience = 0;
  CHECK_THROWS_AS(EnergyStrategy(published_steps(), settings), Error);
  settings = {};
  settings.tolerance = 0.9;
  CHECK_THROWS_AS(EnergyStrategy(published_steps(), settings), Error);
}

TEST_CASE("nothing to do has no imbalance") {
  ChareLoads loads;
  for (std::uint32_t pe = 0; pe < 2; ++pe) loads.pes.push_back({{0}, 1, true, {0}, pe});
  const EnergyDecision decision = EnergyStrategy(published_steps(), {}).balance(loads);
  CHECK(decision.imbalance == 1);
  CHECK_FALSE(decision.handed_over);
  loads.chares.push_back({{1.0}, 0});
  const EnergyDecision one = EnergyStrategy(published_steps(), {}).balance(loads);
  CHECK(std::isinf(one.imbalance));
  CHECK(one.beyond_clocks);
  CHECK_FALSE(one.handed_over);
}

}  // namespace huddle::charm
