#include "aggregator/waitstates/energy/power_states.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/aggregator/machines_on_file.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

constexpr double kNanoseconds = 1e9;  // in a second

using Counts = std::vector<std::uint64_t>;

// The energy of one wait state of this length, in a trace of nanoseconds.
WaitEnergy energy_of_wait(const PowerStates& power, double seconds) {
  WaitEnergy sums;
  WaitCost(power, kNanoseconds)
      .add_to(sums, static_cast<std::uint64_t>(std::llround(seconds * kNanoseconds)));
  return sums;
}

PowerStates table(std::vector<PowerState> states) {
  return {"m", "given", std::move(states)};
}

PowerStates two_states() {
  return table(
      {{.name = "fast", .active_w = 10, .idle_w = 4},
       {.name = "slow", .active_w = 6, .idle_w = 3, .transition_s = 1e-3, .transition_j = 0.002}});
}

TEST_CASE("the upper limits are those that the paper's three tables give") {
  const auto limits = [](std::string_view name) {
    return limits_of(power_states_of(machine_on_file(name)));
  };
  CHECK(100 * limits("opteron-6168").idle == doctest::Approx(66.56).epsilon(1e-4));
  CHECK(100 * limits("opteron-6168").busy == doctest::Approx(30.2).epsilon(2e-3));
  CHECK(100 * limits("xeon-x5560").idle == doctest::Approx(47.95).epsilon(1e-4));
  CHECK(100 * limits("xeon-x5560").busy == doctest::Approx(31.1).epsilon(2e-3));
  CHECK(100 * limits("juropa").idle == doctest::Approx(47.96).epsilon(1e-4));
  CHECK(100 * limits("juropa").busy == doctest::Approx(31.2).epsilon(2e-3));
}

TEST_CASE("a wait state that goes on and on saves what the limits say") {
  for (const std::string_view name : {"opteron-6168", "xeon-x5560", "juropa"}) {
    CAPTURE(name);
    const PowerStates power = power_states_of(machine_on_file(name));
    const WaitEnergy sums = energy_of_wait(power, 1e6);
    const auto spent = static_cast<double>(sums.spent_nj);
    CHECK(static_cast<double>(sums.saving_nj) / spent ==
          doctest::Approx(limits_of(power).idle).epsilon(1e-6));
    CHECK(static_cast<double>(sums.busy_saving_nj) / spent ==
          doctest::Approx(limits_of(power).busy).epsilon(1e-6));
    CHECK(sums.winners == Counts{0, 0, 0, 0, 1});
    CHECK(sums.busy_winners == Counts{0, 0, 0, 0, 1});
  }
}

TEST_CASE("a second on the Opteron: idle at 1000 MHz, busy at 800 MHz") {
  const WaitEnergy sums = energy_of_wait(power_states_of(machine_on_file("opteron-6168")), 1);
  CHECK(sums.spent_nj == 13'100'000'000);
  // 13.1 - (0.99997 x 4.41 + 0.2); 1900 MHz would save 8.37, 800 MHz 8.4201752.
  CHECK(sums.saving_nj == 8'490'132'300);
  CHECK(sums.winners == Counts{0, 0, 0, 1, 0});
  // 13.1 - (0.99996 x 9.14 + 0.3)
  CHECK(sums.busy_saving_nj == 3'660'365'600);
  CHECK(sums.busy_winners == Counts{0, 0, 0, 0, 1});
}

TEST_CASE("40 ms on the Opteron pay for the smallest step only") {
  const WaitEnergy sums = energy_of_wait(power_states_of(machine_on_file("opteron-6168")), 0.04);
  CHECK(sums.spent_nj == 524'000'000);
  CHECK(sums.saving_nj == 334'800'000);  // 0.04 x (13.1 - 4.73)
  CHECK(sums.winners == Counts{1, 0, 0, 0, 0});
  CHECK(sums.busy_saving_nj == 9'716'100);  // 0.524 - (0.03999 x 11.61 + 0.05)
  CHECK(sums.busy_winners == Counts{0, 1, 0, 0, 0});
}

TEST_CASE("a wait state too short to pay for a transition saves nothing busy") {
  const PowerStates power = power_states_of(machine_on_file("xeon-x5560"));
  const WaitEnergy sums = energy_of_wait(power, 0.01);
  CHECK(sums.spent_nj == 356'800'000);
  CHECK(sums.saving_nj == 148'700'000);  // 0.01 x (35.68 - 20.81), where it is
  CHECK(sums.winners == Counts{1, 0, 0, 0, 0});
  CHECK(sums.busy_saving_nj == 0);
  CHECK(sums.busy_winners == Counts{0, 0, 0, 0, 0});
}

TEST_CASE("a state whose transition takes longer than the wait state is none for it") {
  const PowerStates power =
      table({{.name = "fast", .active_w = 10, .idle_w = 4},
             {.name = "slow", .active_w = 6, .idle_w = 3, .transition_s = 1}});
  // As printed, equations (1) and (2) would credit the time that the transition lacks.
  const WaitEnergy shorter = energy_of_wait(power, 0.999);
  CHECK(shorter.saving_nj == 5'994'000'000);
  CHECK(shorter.busy_saving_nj == 0);
  CHECK(shorter.winners == Counts{1, 0});
  const WaitEnergy equal = energy_of_wait(power, 1);
  CHECK(equal.saving_nj == 10'000'000'000);
  CHECK(equal.busy_saving_nj == 10'000'000'000);
  CHECK(equal.winners == Counts{0, 1});
  CHECK(equal.busy_winners == Counts{0, 1});
}

TEST_CASE("among states that save the same the first of the table wins") {
  PowerStates power = two_states();
  power.states.push_back(power.states[1]);
  CHECK(energy_of_wait(power, 1).winners == Counts{0, 1, 0});
  CHECK(energy_of_wait(power, 1).busy_winners == Counts{0, 1, 0});
  // Idle at 6 - 3 W more and 1 J for it: after a second that is even.
  const PowerStates even = table({{.name = "fast", .active_w = 10, .idle_w = 4},
                                  {.name = "slow", .active_w = 9, .idle_w = 3, .transition_j = 1}});
  CHECK(energy_of_wait(even, 1).winners == Counts{1, 0});
  CHECK(energy_of_wait(even, 1).busy_winners == Counts{0, 0});
  CHECK(energy_of_wait(even, 1.000001).busy_winners == Counts{0, 1});
}

TEST_CASE("with one state a core can only be idle where it is") {
  const PowerStates power = table({{.name = "only", .active_w = 10, .idle_w = 4}});
  const WaitEnergy sums = energy_of_wait(power, 2);
  CHECK(sums.spent_nj == 20'000'000'000);
  CHECK(sums.saving_nj == 12'000'000'000);
  CHECK(sums.busy_saving_nj == 0);
  CHECK(limits_of(power).idle == doctest::Approx(0.6));
  CHECK(limits_of(power).busy == 0);
}

TEST_CASE("sums don't depend on the order, nor on who adds them") {
  const WaitCost cost(two_states(), kNanoseconds);
  const std::vector<std::uint64_t> lengths = {1, 999, 1'000'000, 3'141'592, 77'777'777'777};
  WaitEnergy forth;
  for (const std::uint64_t length : lengths) cost.add_to(forth, length);
  WaitEnergy back;
  for (auto length = lengths.rbegin(); length != lengths.rend(); ++length) {
    WaitEnergy one;
    cost.add_to(one, *length);
    back.add(one);
  }
  CHECK(forth == back);
  CHECK(forth.winners == Counts{2, 3});  // a millisecond is enough for the slow one
}

TEST_CASE("the clock of the trace makes no difference") {
  WaitEnergy fine;
  WaitCost(two_states(), 2e9).add_to(fine, 3'000'000'000);
  WaitEnergy coarse;
  WaitCost(two_states(), 1e3).add_to(coarse, 1'500);
  CHECK(fine == coarse);
}

TEST_CASE("a wait state beyond all measure stays at the largest sum") {
  WaitEnergy sums;
  const WaitCost cost(two_states(), 1);
  cost.add_to(sums, std::numeric_limits<std::uint64_t>::max());
  cost.add_to(sums, std::numeric_limits<std::uint64_t>::max());
  CHECK(sums.spent_nj == std::numeric_limits<std::int64_t>::max());
  CHECK(sums.saving_nj == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("power states that can't be are refused, with the figure's name") {
  const auto complaint = [](double PowerState::*figure, double value, std::size_t state) {
    PowerStates power = two_states();
    power.states[state].*figure = value;
    return error_of([&] { WaitCost cost(power, kNanoseconds); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(complaint(&PowerState::active_w, nan, 1) ==
        "the power state slow of m has active_w = nan, expected a number from 0");
  CHECK(complaint(&PowerState::idle_w, -1, 0) ==
        "the power state fast of m has idle_w = -1, expected a number from 0");
  CHECK(complaint(&PowerState::transition_s, infinite, 1) ==
        "the power state slow of m has transition_s = inf, expected a number from 0");
  CHECK(complaint(&PowerState::transition_j, nan, 1) ==
        "the power state slow of m has transition_j = nan, expected a number from 0");
  CHECK(complaint(&PowerState::transition_s, 1e-6, 0) ==
        "the first power state of m, fast, has a transition, expected none: programs run in it");
  CHECK(error_of([] { WaitCost cost(table({}), 1); }) ==
        "m has no power state, expected at least one");
  CHECK(error_of([] { WaitCost cost(two_states(), 0); }) ==
        "a clock of 0 ticks a second, expected a number above 0");
}

}  // namespace
}  // namespace huddle::waitstates
