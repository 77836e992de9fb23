#include "commgraph/mapping/detail/work_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

WorkGraph as_numbered(const CommGraph& graph) {
  std::vector<Vertex> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0U);
  return renumbered(graph.view(), order);
}

float weight_between(const WorkGraph& graph, Vertex a, Vertex b) {
  float sum = 0;
  for (const Arc& arc : graph.arcs_of(a))
    if (arc.to == b) sum += arc.weight;
  return sum;
}

TEST_CASE("the order by locality has every vertex once, and neighbours near each other") {
  const CommGraph path = test::stencil({1000}, 5);
  const std::vector<Vertex> order = locality_order(path.view());
  std::vector<Vertex> place(1000);
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  CHECK(std::is_permutation(order.begin(), order.end(), place.begin()));
  // A path has two ends, and the order begins at one.
  const auto graph = path.view();
  for (Vertex v = 0; v < 1000; ++v)
    for (const Vertex u : graph.neighbours_of(v))
      CHECK((place[u] > place[v] ? place[u] - place[v] : place[v] - place[u]) == 1);
}

TEST_CASE("renumbering keeps every edge and its weight") {
  const CommGraph graph(4, {{0, 1, 5}, {1, 2, 7}, {3, 0, 9}});
  const std::vector<Vertex> order = {2, 0, 3, 1};
  const WorkGraph work = renumbered(graph.view(), order);
  CHECK(work.vertices() == 4);
  CHECK(work.arcs.size() == 6);
  CHECK(weight_between(work, 1, 3) == 5);
  CHECK(weight_between(work, 3, 0) == 7);
  CHECK(weight_between(work, 2, 1) == 9);
}

TEST_CASE("an induced graph has the edges among its members, and leaves the scratch space clean") {
  const WorkGraph whole = as_numbered(CommGraph(5, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}, {3, 4, 4}}));
  std::vector<Vertex> number(5, kNoVertex);
  const std::vector<Vertex> members = {3, 2, 0};
  const WorkGraph part = induced(whole, members, number);
  CHECK(part.arcs.size() == 2);
  CHECK(weight_between(part, 0, 1) == 3);
  CHECK(number == std::vector<Vertex>(5, kNoVertex));
}

TEST_CASE("contraction adds up what joins two groups") {
  const WorkGraph whole =
      as_numbered(CommGraph(6, {{0, 1, 1}, {0, 2, 2}, {1, 3, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}}));
  const WorkGraph coarse = contracted(whole, std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}, 3);
  CHECK(coarse.vertices() == 3);
  CHECK(coarse.arcs.size() == 4);
  CHECK(weight_between(coarse, 0, 1) == 5);
  CHECK(weight_between(coarse, 1, 0) == 5);
  CHECK(weight_between(coarse, 1, 2) == 5);
  CHECK(weight_between(coarse, 0, 2) == 0);
}

TEST_CASE("of a dense graph the heaviest arcs of every vertex stay") {
  std::mt19937 random(3);
  const WorkGraph dense = as_numbered(CommGraph(60, test::random_edges(random, 60, 1500, 1000)));
  const WorkGraph sparse = heaviest_arcs(dense, 5);
  CHECK(sparse.arcs.size() < dense.arcs.size());
  for (Vertex v = 0; v < 60; ++v) {
    std::vector<float> weights;
    for (const Arc& arc : dense.arcs_of(v)) weights.push_back(arc.weight);
    std::sort(weights.begin(), weights.end(), std::greater<>());
    for (const Arc& arc : dense.arcs_of(v))
      if (arc.weight > weights[4]) CHECK(weight_between(sparse, v, arc.to) == arc.weight);
    CHECK(sparse.arcs_of(v).size() <= 20);
  }
}

}  // namespace
}  // namespace huddle::commgraph
