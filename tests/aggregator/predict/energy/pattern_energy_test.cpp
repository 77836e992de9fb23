#include "aggregator/predict/energy/pattern_energy.hpp"

#include <doctest/doctest.h>

namespace huddle {
namespace {

constexpr std::uint32_t kSeveral = Location::kSeveral;
const PowerFigures kPower{{100}, {3}, {30}, {8}, {5}, Origin::kGiven};

NodeTopology small_node() {
  return load_topology("package:2 die:2 core:2 pu:1");
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

TEST_CASE("nodes that are not used count as told") {
  const BusyParts busy{1, 1, 1, 1};
  CHECK(energy_of(kPower, busy, {10}, 2, UnusedNodes::kIgnored).value == doctest::Approx(1430));
  CHECK(energy_of(kPower, busy, {10}, 2, UnusedNodes::kOff).value == doctest::Approx(1490));
  CHECK(energy_of(kPower, busy, {10}, 2, UnusedNodes::kIdle).value == doctest::Approx(3430));
}

}  // namespace
}  // namespace huddle
