#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "spank_plugin/charm/energy_strategy.hpp"
#include "tests/spank_plugin/charm/chare_cases.hpp"

namespace huddle::charm {

TEST_CASE("the published scenario is handed over, after which greedy leaves 1.05 at most") {
  int beyond = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EnergySettings settings;
    settings.balancer = ChareBalancer::kGreedy;
    EnergyStrategy strategy(published_steps(), settings);
    ChareLoads loads = published_chares(seed);
    const EnergyDecision first = strategy.balance(loads);
    if (first.beyond_clocks) ++beyond;
    REQUIRE(first.handed_over);
    REQUIRE(std::count(first.clocks.begin(), first.clocks.end(), strategy.steps().most()) == 24);
    loads = next_interval(loads, first, strategy.steps());
    const EnergyDecision second = strategy.balance(loads);
    CHECK_FALSE(second.handed_over);
    CHECK(second.imbalance == doctest::Approx(first.imbalance_after));
    worst = std::max(worst, second.imbalance);
  }
  CHECK(worst <= 1.05);
  MESSAGE("beyond the clocks in ", beyond, " of 200 draws; then l is at most ", worst);
}

TEST_CASE("in the published scenario refine moves a fraction of what greedy does") {
  double moved_by_refine = 0;
  double moved_by_greedy = 0;
  double worst_length = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ChareLoads loads = published_chares(seed);
    EnergySettings settings;
    const EnergyDecision refined = EnergyStrategy(published_steps(), settings).balance(loads);
    settings.balancer = ChareBalancer::kGreedy;
    const EnergyDecision greedy = EnergyStrategy(published_steps(), settings).balance(loads);
    moved_by_refine += refined.moved;
    moved_by_greedy += greedy.moved;
    worst = std::max(worst, refined.imbalance_after);
    worst_length = std::max(worst_length, refined.length_after / greedy.length_after);
  }
  CHECK(moved_by_refine < 0.5 * moved_by_greedy);
  CHECK(worst_length < 1.06);
  MESSAGE("of 200 chares refine moves ", moved_by_refine / 200, ", greedy ", moved_by_greedy / 200,
          "; after refine l is at most ", worst, ", and the length ", worst_length, " of greedy's");
}

TEST_CASE("how much work follows the clock is learnt, and chares are not moved for what is not") {
  // Half of the work waits for memory. Taken for work that follows the clock, what waiting PEs do
  // at low clocks seems to be less than it is, and l to be more.
  std::mt19937_64 random(45);
  std::uniform_real_distribution<double> share(0, 1);
  double worst_drift = 0;
  double worst_drift_unlearnt = 0;
  for (int round = 0; round < 200; ++round) {
    for (const bool learn : {true, false}) {
      const balancing::ClockSteps steps = published_steps();
      ChareLoads loads;
      for (std::uint32_t pe = 0; pe < 8; ++pe) {
        loads.pes.push_back({{0}, 1, true, {0}, pe});
        loads.chares.push_back({{pe == 0 ? 1 : 0.55 + 0.45 * share(random)}, pe, true, 0.5});
      }
      EnergySettings settings;
      settings.learn_sensitivity = learn;
      EnergyStrategy strategy(steps, settings);
      if (!learn)
        for (ChareLoad& chare : loads.chares) chare.sensitivity = 1;
      const double imbalance = strategy.balance(loads).imbalance;
      double last = 1;
      for (int point = 0; point < 12; ++point) {
        const EnergyDecision decision = strategy.balance(loads);
        REQUIRE_FALSE(decision.handed_over);
        last = decision.imbalance;
        for (ChareLoad& chare : loads.chares) chare.sensitivity = 0.5;
        loads = next_interval(loads, decision, steps);
        REQUIRE(longest_pe(loads) <= 1 + 1e-6);
        if (!learn)
          for (ChareLoad& chare : loads.chares) chare.sensitivity = 1;
      }
      double& worst = learn ? worst_drift : worst_drift_unlearnt;
      worst = std::max(worst, last / imbalance);
    }
  }
  CHECK(worst_drift < 1.02);
  CHECK(worst_drift_unlearnt > 1.1);
  MESSAGE("l drifts by a factor of ", worst_drift, ", without learning of ", worst_drift_unlearnt);
}

}  // namespace huddle::charm
