#include "commgraph/mapping/detail/canonical_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Cores = std::vector<std::uint32_t>;

TEST_CASE("like groups come in the order of their lowest vertices, at every level") {
  const Hierarchy machine = Hierarchy::parse("2:2:2", "1:10:100");
  CHECK(in_canonical_order(machine, Cores{7, 3, 1, 5, 6, 2, 0, 4}) ==
        Cores{0, 4, 6, 2, 1, 5, 7, 3});
}

TEST_CASE("a group that holds fewer stays where it is") {
  const Hierarchy machine = Hierarchy::parse("2:3", "1:10");
  // Vertex 0 is alone on the last die.
  CHECK(in_canonical_order(machine, Cores{4, 3, 0, 2, 1}) == Cores{4, 0, 2, 1, 3});
}

TEST_CASE("the cost and the cores in use stay, and doing it again changes nothing") {
  std::mt19937 random(83);
  for (int round = 0; round < 60; ++round) {
    const Hierarchy machine = test::random_hierarchy(random);
    const std::uint32_t vertices = test::number_in(random, 1, machine.cores());
    const CommGraph graph(vertices, test::random_edges(random, vertices, 2 * vertices, 100));
    Cores cores(vertices);
    std::iota(cores.begin(), cores.end(), 0U);
    std::shuffle(cores.begin(), cores.end(), random);
    const Cores ordered = in_canonical_order(machine, cores);
    CHECK(std::is_permutation(ordered.begin(), ordered.end(), cores.begin()));
    CHECK(test::cost_by_definition(graph, machine, ordered) ==
          test::cost_by_definition(graph, machine, cores));
    CHECK(in_canonical_order(machine, ordered) == ordered);
  }
}

}  // namespace
}  // namespace huddle::commgraph
