#include <doctest/doctest.h>

#include "aggregator/waitstates/energy/power_states.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::waitstates {
namespace {

// 8 cores, 100 W idle and 100 + 2 x 30 + 4 x 8 + 8 x 9 = 264 W busy.
Machine eight_cores() {
  Machine machine;
  machine.name = "m";
  machine.topology = "package:2 die:2 core:2 pu:1";
  machine.power = PowerFigures{{100}, {0}, {30}, {8}, {9}, Origin::kGiven};
  return machine;
}

TEST_CASE("a machine's own power states are taken as they are") {
  Machine machine = eight_cores();
  machine.power_states = CorePowerStates{
      {{"fast", 10, 4, 0, 0, 2e9}, {"slow", 6, 3, 1e-5, 0.1, 1e9}}, Origin::kMeasured, "a meter"};
  const PowerStates power = power_states_of(machine);
  CHECK(power.machine == "m");
  CHECK(power.origin == "measured: a meter");
  CHECK(power.states == machine.power_states->states);
}

TEST_CASE("without them a core has its share of its node's power, at each frequency") {
  Machine machine = eight_cores();
  machine.frequencies = Frequencies{{{1e9}, {1.5e9}, {2e9}, {2.5e9}},
                                    {2e9},
                                    {{{1e9}, {2}, Watts{20}, {}}},
                                    ClockDomain::kCore,
                                    Origin::kGiven};
  const PowerStates power = power_states_of(machine);
  REQUIRE(power.states.size() == 3);  // none above the nominal one
  CHECK(power.states[0].name == "2000 MHz");
  CHECK(power.states[0].frequency_hz == 2e9);
  CHECK(power.states[0].active_w == doctest::Approx(264.0 / 8));
  CHECK(power.states[0].idle_w == doctest::Approx(100.0 / 8));
  CHECK(power.states[0].transition_s == 0);
  CHECK(power.states[0].transition_j == 0);
  CHECK(power.states[2].name == "1000 MHz");
  // 100 + 2 x 20 + 4 x 8 + 8 x 2
  CHECK(power.states[2].active_w == doctest::Approx(188.0 / 8));
  CHECK(power.states[2].idle_w == doctest::Approx(100.0 / 8));
  CHECK(power.states[2].transition_s == doctest::Approx(1e-5));
  CHECK(power.states[2].transition_j == doctest::Approx(1e-5 * 33));
  CHECK(power.origin ==
        "derived from the machine's power figures (given), a core's share of its node; that a "
        "change of frequency takes 10 us at full power is assumed");
  CHECK_NOTHROW(WaitCost(power, 1e9));
}

TEST_CASE("with power at one frequency only there is one state") {
  Machine machine = eight_cores();
  machine.frequencies = Frequencies{{{1e9}, {2e9}}, {2e9}, {}, ClockDomain::kCore, Origin::kGiven};
  const PowerStates power = power_states_of(machine);
  REQUIRE(power.states.size() == 1);
  CHECK(power.states[0].frequency_hz == 2e9);
  CHECK(power.states[0].active_w == doctest::Approx(33));
  CHECK(power.origin ==
        "derived from the machine's power figures (given), a core's share of its node; power at "
        "other frequencies is not known, so there is one state");
}

TEST_CASE("a machine without power is refused with what to do") {
  Machine machine = eight_cores();
  machine.power.reset();
  CHECK(
      error_of([&] { power_states_of(machine); }) ==
      "the machine m has no power figures: add \"power_states\", or \"power\" (and \"frequencies\" "
      "with their power), to its document, or take one on file that has them, such as "
      "xeon-x5560");
}

}  // namespace
}  // namespace huddle::waitstates
