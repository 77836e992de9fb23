#include "commgraph/mapping/detail/exact_arrangement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

WorkGraph in_given_order(const CommGraph& graph) {
  std::vector<Vertex> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0U);
  return renumbered(graph.view(), order);
}

std::uint64_t least_cost(const CommGraph& graph, const Hierarchy& machine) {
  std::vector<std::uint32_t> core_of(graph.vertices());
  std::iota(core_of.begin(), core_of.end(), 0U);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  do {
    least = std::min(least, test::cost_by_definition(graph, machine, core_of));
  } while (std::next_permutation(core_of.begin(), core_of.end()));
  return least;
}

TEST_CASE("no arrangement of a few vertices costs less, whatever the distances") {
  std::mt19937 random(41);
  const std::vector<Hierarchy> machines = {
      Hierarchy::parse("2:2:2", "1:10:100"), Hierarchy::parse("2:2:2", "3:2:4"),
      Hierarchy::parse("4:2", "1:2"), Hierarchy::parse("3:3", "5:6"),
      Hierarchy::parse("1:3:1:3", "9:1:7:2")};
  for (const Hierarchy& machine : machines) {
    ExactArrangement exact(machine);
    for (std::uint32_t vertices = 1; vertices <= 7; ++vertices)
      for (int round = 0; round < 4; ++round) {
        const CommGraph graph(vertices, test::random_edges(random, vertices, 2 * vertices, 20));
        const auto core_of = exact.arrange(in_given_order(graph), machine.levels() - 1);
        CHECK(test::fills_cores_in_order(core_of));
        CHECK(test::cost_by_definition(graph, machine, core_of) == least_cost(graph, machine));
      }
  }
}

TEST_CASE("as many vertices as it takes are arranged") {
  const Hierarchy machine = Hierarchy::parse("3:2:2", "1:10:100");
  std::mt19937 random(5);
  const CommGraph graph(ExactArrangement::kMostVertices,
                        test::random_edges(random, ExactArrangement::kMostVertices, 40, 9));
  ExactArrangement exact(machine);
  CHECK(test::fills_cores_in_order(exact.arrange(in_given_order(graph), 2)));
}

}  // namespace
}  // namespace huddle::commgraph
