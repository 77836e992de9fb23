#include <doctest/doctest.h>

#include "aggregator/predict/energy/pattern_energy.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

constexpr std::uint32_t kSeveral = Location::kSeveral;
const PowerFigures kPower{{100}, {3}, {30}, {8}, {5}, Origin::kGiven};

commgraph::NodeTopology small_node() {
  return commgraph::load_topology("package:2 die:2 core:2 pu:1");
}

TEST_CASE("a pattern keeps busy what it uses, on every node") {
  const Pattern pattern{2, 1, 2};
  const std::vector<std::uint32_t> core_of = {0, 1, 2, 3, 4, 5};  // the second node holds two
  CHECK(busy_parts(locations_on(pattern, core_of), small_node()) == BusyParts{2, 3, 3, 6});
}

TEST_CASE("ranks that may run anywhere keep as many packages and dies busy as they can") {
  const std::vector<Location> three(3, Location{0, kSeveral, kSeveral});
  CHECK(busy_parts(three, small_node()) == BusyParts{1, 2, 3, 3});
  const std::vector<Location> on_one_package(3, Location{0, 1, kSeveral});
  CHECK(busy_parts(on_one_package, small_node()) == BusyParts{1, 1, 3, 3});
  const std::vector<Location> many(9, Location{4, kSeveral, kSeveral});
  CHECK(busy_parts(many, small_node()) == BusyParts{1, 2, 4, 9});
}

TEST_CASE("power adds up over what is busy") {
  CHECK(power_of(kPower, {2, 3, 3, 6}).value == doctest::Approx(2 * 100 + 3 * 30 + 3 * 8 + 6 * 5));
}

TEST_CASE("a job's energy is that of its own nodes") {
  CHECK(energy_of(kPower, {1, 1, 1, 1}, {10}).value == doctest::Approx(1430));
}

}  // namespace

namespace {

Machine machine_with(std::vector<PowerPoint> points) {
  Machine machine = slow_machine();
  machine.power = PowerFigures{{100}, {3}, {30}, {8}, {9}, Origin::kGiven};
  machine.frequencies = Frequencies{
      {{1e9}, {1.5e9}, {2e9}}, {2e9}, std::move(points), ClockDomain::kCore, Origin::kGiven};
  return machine;
}

double core_at(const Machine& machine, double hertz) {
  return power_at(machine, {hertz}).core.value;
}

TEST_CASE("with a static part the law is P = a + c f^3") {
  // 1 W without a clock and 9 W at 2 GHz: 1 + 8 (f / 2 GHz)^3.
  const Machine machine = machine_with({{{0}, {1}, {}, {}}});
  CHECK(core_at(machine, 2e9) == doctest::Approx(9));
  CHECK(core_at(machine, 1e9) == doctest::Approx(2));
  CHECK(core_at(machine, 1.5e9) == doctest::Approx(1 + 8 * 27.0 / 64));
  CHECK(core_at(machine, 3e9) == doctest::Approx(1 + 8 * 27.0 / 8));
}

TEST_CASE("between given points the law goes through both") {
  const Machine machine = machine_with({{{1e9}, {4}, {}, {}}, {{1.5e9}, {5}, {}, {}}});
  CHECK(core_at(machine, 1e9) == doctest::Approx(4));
  CHECK(core_at(machine, 1.5e9) == doctest::Approx(5));
  CHECK(core_at(machine, 2e9) == doctest::Approx(9));
  // Below: 4 - (5 - 4) (1 - f^3) / (1.5^3 - 1), with f in GHz.
  CHECK(core_at(machine, 0.5e9) == doctest::Approx(4 - (1 - 0.125) / (3.375 - 1)));
  // Between 1.5 and 2: 5 + 4 (f^3 - 3.375) / (8 - 3.375).
  CHECK(core_at(machine, 1.8e9) == doctest::Approx(5 + 4 * (5.832 - 3.375) / (8 - 3.375)));
}

TEST_CASE("power is never below 0") {
  CHECK(core_at(machine_with({{{1.9e9}, {1}, {}, {}}}), 1e9) == 0);
}

TEST_CASE("packages and dies change where that is known, and idle nodes never") {
  const Machine machine = machine_with({{{0}, {1}, Watts{22}, {}}, {{1e9}, {2}, {}, {}}});
  const PowerFigures figures = power_at(machine, {1e9});
  CHECK(figures.package.value == doctest::Approx(23));  // 22 + 8 (f / 2 GHz)^3
  CHECK(figures.die.value == 8);
  CHECK(figures.idle_node.value == 100);
  CHECK(figures.off_node.value == 3);
}

TEST_CASE("the nominal frequency has the machine's own figures, without other points too") {
  CHECK(core_at(machine_with({}), 2e9) == 9);
  CHECK_FALSE(power_depends_on_frequency(machine_with({})));
  CHECK(power_depends_on_frequency(machine_with({{{0}, {1}, {}, {}}})));
}

TEST_CASE("without figures there is no power at a frequency") {
  CHECK(error_of<Error>([] { static_cast<void>(power_at(slow_machine(), {1e9})); }) ==
        "the machine slow has no power figures by frequency: add \"power\" and \"frequencies\" to "
        "its document");
}

}  // namespace

}  // namespace huddle::predict
