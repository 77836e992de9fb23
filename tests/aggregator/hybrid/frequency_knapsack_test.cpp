#include "aggregator/hybrid/frequency_knapsack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "profiles/vocabulary/error.hpp"

namespace huddle::hybrid {
namespace {

using ClocksOfPhases = std::vector<std::vector<PhaseClock>>;

/// The least cost within this slack, by trying every choice.
double least_cost(const ClocksOfPhases& phases, std::size_t phase, double slack) {
  if (phase == phases.size()) {
    return 0;
  }
  double least = std::numeric_limits<double>::infinity();
  for (const auto& clock : phases[phase]) {
    if (clock.longer <= slack) {
      least = std::min(least, clock.cost + least_cost(phases, phase + 1, slack - clock.longer));
    }
  }
  return least;
}

TEST_CASE("clocks of phases cost what exhaustive search finds, within the steps of slack") {
  std::mt19937_64 random(22);
  std::uniform_real_distribution<double> share(0, 1);
  for (int instance = 0; instance < 10000; ++instance) {
    const bool whole = instance % 2 == 0;
    ClocksOfPhases phases(1 + random() % 5);
    for (auto& clocks : phases) {
      clocks.push_back({0, share(random)});
      for (auto more = random() % 4; more > 0; --more) {
        clocks.push_back(
            {whole ? static_cast<double>(random() % 64) : 64 * share(random), share(random)});
      }
    }
    const double slack = 128;
    const auto chosen = choose_phase_clocks(phases, slack, 128);
    double longer = 0;
    double cost = 0;
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      longer += phases[phase][chosen[phase]].longer;
      cost += phases[phase][chosen[phase]].cost;
    }
    REQUIRE(longer <= slack + 1e-9);
    REQUIRE(cost >= least_cost(phases, 0, slack) - 1e-9);
    const double lost = whole ? 0 : static_cast<double>(phases.size());
    REQUIRE(cost <= least_cost(phases, 0, slack - lost) + 1e-9);
  }
}

TEST_CASE("without slack each phase keeps a clock at which it takes no longer") {
  const ClocksOfPhases phases = {{{0, 2}, {0.1, 1}}, {{0, 3}, {0, 2}}};
  CHECK(choose_phase_clocks(phases, 0, 10) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("slack is never overspent, not in the last place either") {
  // Parts of the slack which, divided by a step and rounded, come out as whole numbers of steps.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> share(0, 1);
  int full = 0;
  for (int instance = 0; instance < 20000; ++instance) {
    const double slack = std::exp(40 * share(random) - 20);
    const std::size_t steps = 1 + random() % 997;
    ClocksOfPhases phases(1 + random() % 6);
    for (auto& clocks : phases) {
      clocks.push_back({0, 1});
      const double whole = static_cast<double>(random() % (steps + 1)) / static_cast<double>(steps);
      double longer = slack * whole;
      for (auto up = random() % 3; up > 0; --up) longer = std::nextafter(longer, 2 * slack);
      clocks.push_back({std::min(longer, slack), 0});
    }
    const auto chosen = choose_phase_clocks(phases, slack, steps);
    long double longer = 0;
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      longer += phases[phase][chosen[phase]].longer;
    REQUIRE(longer <= static_cast<long double>(slack));
    full += longer > 0.99L * slack ? 1 : 0;
  }
  CHECK(full > 100);
}

TEST_CASE("a choice that takes the whole slack is found, whatever its size") {
  for (const double slack : {1e-300, 0.3, 1e300}) {
    const ClocksOfPhases phases = {{{0, 2}, {slack / 2, 1}}, {{0, 2}, {slack / 2, 1}}};
    CHECK(choose_phase_clocks(phases, slack, 10) == std::vector<std::size_t>{1, 1});
  }
}

TEST_CASE("phases have a limit") {
  CHECK_THROWS_AS((void)choose_phase_clocks(ClocksOfPhases(64, {{0, 1}}), 1, 1'000'000), Error);
  CHECK(choose_phase_clocks({}, 1, 10).empty());
}

}  // namespace
}  // namespace huddle::hybrid
