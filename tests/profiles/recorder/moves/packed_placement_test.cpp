#include "profiles/recorder/moves/packed_placement.hpp"

#include <doctest/doctest.h>

namespace huddle::recorder {
namespace {

using Cores = std::vector<std::uint32_t>;

// Core i has the PU i.
std::vector<PhysicalCore> node_of(std::uint32_t packages, std::uint32_t dies, std::uint32_t cores,
                                  std::uint32_t numa_nodes_per_package = 1) {
  std::vector<PhysicalCore> node;
  for (std::uint32_t i = 0; i < packages * dies * cores; ++i) {
    const std::uint32_t die = i / cores;
    PhysicalCore core{die / dies, die, die * numa_nodes_per_package / dies, {}};
    core.pus.add(i);
    node.push_back(core);
  }
  return node;
}

TEST_CASE("ranks that are spread over the dies of a package go onto one of them") {
  const auto node = node_of(2, 2, 2);
  CHECK(packed_placement(node, {{0, 2, 4, 6}}) == Cores{0, 1, 4, 5});
  CHECK(packed_placement(node, {{2, 0, 6, 4}}) == Cores{1, 0, 5, 4});  // whoever is there stays
  CHECK(packed_placement(node, {{1, 3}}) == Cores{1, 0});              // one package in use
}

TEST_CASE("as many dies stay in use as are needed") {
  CHECK(packed_placement(node_of(1, 4, 2), {{0, 2, 4}}) == Cores{0, 2, 1});
  CHECK(packed_placement(node_of(1, 4, 4), {{0, 4, 8, 12}}) == Cores{0, 1, 2, 3});
}

TEST_CASE("ranks that fill their dies, or have one of a package each, are not moved") {
  const auto node = node_of(2, 2, 2);
  CHECK_FALSE(packed_placement(node, {{0, 1, 4, 5}}));
  CHECK_FALSE(packed_placement(node, {{0, 1, 2, 3, 4, 5, 6, 7}}));
  CHECK_FALSE(packed_placement(node, {{0, 4}}));
  CHECK_FALSE(packed_placement(node, {{0, 2, 3}}));
  CHECK_FALSE(packed_placement(node_of(2, 1, 4), {{0, 1, 4, 5}}));
  // The pattern is that of the fullest package, which keeps its dies.
  CHECK_FALSE(packed_placement(node, {{0, 1, 2, 4, 6}}));
}

TEST_CASE("nobody leaves the memory of its NUMA node") {
  CHECK_FALSE(packed_placement(node_of(1, 2, 4, 2), {{0, 4}}));
  CHECK(packed_placement(node_of(1, 4, 4, 2), {{0, 4, 8, 12}}) == Cores{0, 1, 8, 9});
}

TEST_CASE("several ranks bound to one core are left alone") {
  CHECK_FALSE(packed_placement(node_of(1, 2, 2), {{0, 0, 2}}));
  CHECK_FALSE(packed_placement(node_of(1, 2, 2), {{0, 1, 1}, Hold::kDie}));
}

TEST_CASE("ranks bound to dies are on the die, whatever core the kernel has put them on") {
  CHECK(packed_placement(node_of(1, 4, 4), {{1, 1, 4, 4}, Hold::kDie}) == Cores{1, 0, 2, 3});
}

TEST_CASE("ranks that nothing holds count as spread widest, in the package where they are") {
  const auto node = node_of(2, 2, 2);
  CHECK(packed_placement(node, {{0, 1, 4, 5}, Hold::kNothing}) == Cores{0, 1, 4, 5});
  CHECK(packed_placement(node, {{3, 3, 6, 4}, Hold::kNothing}) == Cores{3, 2, 5, 4});
  CHECK_FALSE(packed_placement(node, {{0, 1, 2, 4}, Hold::kNothing}));  // three and one
  CHECK_FALSE(packed_placement(node, {widest_cores(node, 2), Hold::kNothing}));
  CHECK(packed_placement(node, {widest_cores(node, 4), Hold::kNothing}));
}

TEST_CASE("where dies differ, or a rank's place is not known, nobody is moved") {
  auto node = node_of(1, 2, 2);
  node.pop_back();
  CHECK_FALSE(packed_placement(node, {{0, 2}}));
  CHECK_FALSE(packed_placement(node_of(1, 2, 2), {{0, 9}}));
  CHECK_FALSE(packed_placement({}, {{0}}));
}

TEST_CASE("the widest places alternate between packages, then between dies") {
  CHECK(widest_cores(node_of(2, 2, 2), 8) == Cores{0, 4, 2, 6, 1, 5, 3, 7});
  CHECK(widest_cores(node_of(2, 2, 2), 9).size() == 8);
}

}  // namespace
}  // namespace huddle::recorder
