#include "commgraph/mapping/objective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "profiles/vocabulary/error.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Cores = std::vector<std::uint32_t>;

TEST_CASE("J counts an edge from both ends, the bytes between nodes count it once") {
  const Hierarchy machine = Hierarchy::parse("2:2", "1:10");
  const CommGraph graph(3, {{0, 1, 5}, {1, 2, 7}});
  CHECK(objective(graph, machine, Cores{0, 1, 2}) == 2 * (5 * 1 + 7 * 10));
  CHECK(weight_between_nodes(graph, machine, Cores{0, 1, 2}) == 7);
  CHECK(objective(graph, machine, Cores{3, 3, 3}) == 0);
}

TEST_CASE("J equals its definition on random mappings") {
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    const Hierarchy machine = test::random_hierarchy(random);
    const CommGraph graph(machine.cores(),
                          test::random_edges(random, machine.cores(), 200, 1000000));
    Cores core_of(machine.cores());
    std::iota(core_of.begin(), core_of.end(), 0U);
    std::shuffle(core_of.begin(), core_of.end(), random);
    CHECK(objective(graph, machine, core_of) == test::cost_by_definition(graph, machine, core_of));
  }
}

TEST_CASE("the known optimum of an 8 x 8 stencil in nested boxes is what J gives") {
  // Nodes of 4 x 2 points, packages of 2 x 2, dies of 2 x 1.
  const Hierarchy machine = Hierarchy::parse("2:2:2:8", "1:10:100:1000");
  Cores core_of(64);
  for (std::uint32_t x = 0; x < 8; ++x)
    for (std::uint32_t y = 0; y < 8; ++y)
      core_of[y * 8 + x] = ((y / 2) * 2 + x / 4) * 8 + (x / 2 % 2) * 4 + (y % 2) * 2 + x % 2;
  CHECK(objective(test::stencil({8, 8}, 0), machine, core_of) == 67904);
}

TEST_CASE("J is exact up to 2^64 - 1 and an error beyond") {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  const CommGraph heavy(2, {{0, 1, kLargest / 2}});
  CHECK(objective(heavy, Hierarchy({2}, {1}), Cores{0, 1}) == kLargest - 1);
  CHECK_THROWS_AS(objective(heavy, Hierarchy({2}, {2}), Cores{0, 1}), Error);
  CHECK_THROWS_AS(objective(heavy, Hierarchy({2}, {kLargest}), Cores{0, 1}), Error);
  CHECK(weight_between_nodes(heavy, Hierarchy({2}, {kLargest}), Cores{0, 1}) == kLargest / 2);
}

TEST_CASE("a mapping that does not fit the graph or the machine is an error") {
  const Hierarchy machine = Hierarchy::parse("2:2", "1:10");
  const CommGraph graph(3, {{0, 1, 5}});
  CHECK_THROWS_AS(objective(graph, machine, Cores{0, 1}), Error);
  CHECK_THROWS_AS(weight_between_nodes(graph, machine, Cores{0, 1, 4}), Error);
}

}  // namespace
}  // namespace huddle::commgraph
