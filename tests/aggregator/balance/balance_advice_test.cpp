#include "aggregator/balance/balance_advice.hpp"

#include <doctest/doctest.h>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle::balance {
namespace {

// A hundred iterations; every second rank computes for `share` of each, and waits.
Profile uneven(double share) {
  Profile profile = run_of(8, 8);
  for (RankRecord& record : profile.rank_records) {
    const double load = record.rank.value % 2 == 0 ? 1 : share;
    PhaseRecord phase;
    phase.group = 1;
    phase.count = 100;
    phase.mean = {load};
    phase.longest = {load};
    phase.delimiter_time = {100 * (1 - load)};
    record.phases = {phase};
    record.mpi_time = phase.delimiter_time;
  }
  return profile;
}

// A busy core draws 1 + 8 (f / 2 GHz)^3 W, and nothing else draws anything.
Machine machine_of(ClockDomain domain) {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{0}, {0}, {0}, {0}, {9}, Origin::kGiven};
  machine.frequencies =
      Frequencies{{{1e9}, {1.5e9}, {2e9}}, {2e9}, {{{0}, {1}, {}, {}}}, domain, Origin::kGiven};
  return machine;
}

TEST_CASE("advice states what clocks that follow loads would save, and on which condition") {
  const auto advice = advise_balancing(uneven(0.5), machine_of(ClockDomain::kCore), {});
  REQUIRE(advice);
  CHECK(advice->imbalance == doctest::Approx(2));
  // Half of the cores could draw 1 + 8 / 8 W in place of 9, once clocks have settled.
  CHECK(advice->saved > 0.3);
  CHECK(advice->saved < (9 - 2) / 18.0);
  CHECK(advice->slowdown < 0.01);
  const std::string text = text_of(*advice);
  CHECK(text.find("the longest is 2.00 times the shortest") != std::string::npos);
  CHECK(text.find("if loads are as measured") != std::string::npos);
}

TEST_CASE("ranks that share a clock with a loaded one save nothing, those beside their like do") {
  const Machine machine = machine_of(ClockDomain::kPackage);
  CHECK_FALSE(advise_balancing(uneven(0.5), machine, {0, 0, 0, 0, 7, 7, 7, 7}));
  CHECK(advise_balancing(uneven(0.5), machine, {0, 7, 0, 7, 0, 7, 0, 7}));
}

TEST_CASE("nothing is advised where nothing would be saved, or too little is known") {
  CHECK_FALSE(advise_balancing(uneven(1), machine_of(ClockDomain::kCore), {}));
  CHECK_FALSE(advise_balancing(uneven(0.5), slow_machine(), {}));
  CHECK_FALSE(advise_balancing(run_of(8, 8), machine_of(ClockDomain::kCore), {}));
  Profile cut = uneven(0.5);
  cut.complete = false;
  CHECK_FALSE(advise_balancing(cut, machine_of(ClockDomain::kCore), {}));
}

}  // namespace
}  // namespace huddle::balance
