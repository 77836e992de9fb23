#include "commgraph/mapping/detail/annealing.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

constexpr auto kNeverStop = [] { return false; };

WorkGraph by_locality(const CommGraph& graph) {
  return renumbered(graph.view(), locality_order(graph.view()));
}

// Vertex v in group v / size, after a shuffle.
std::vector<std::uint32_t> shuffled_groups(std::uint32_t vertices, std::uint32_t size,
                                           unsigned seed) {
  std::vector<std::uint32_t> groups(vertices);
  for (Vertex v = 0; v < vertices; ++v) groups[v] = v / size;
  std::mt19937 random(seed);
  std::shuffle(groups.begin(), groups.end(), random);
  return groups;
}

std::vector<std::uint32_t> group_of(const GroupAssignment& groups) {
  return {groups.all_groups().begin(), groups.all_groups().end()};
}

TEST_CASE("swapping keeps every group's members and sizes consistent") {
  const std::vector<std::uint32_t> sizes = {3, 1, 4};
  GroupAssignment groups(std::vector<std::uint32_t>{0, 2, 2, 0, 1, 2, 0, 2}, sizes);
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) groups.swap(random() % 8, random() % 8);
  for (std::uint32_t g = 0; g < 3; ++g) {
    CHECK(groups.size_of(g) == sizes[g]);
    for (const Vertex v : groups.members(g)) CHECK(groups.group_of(v) == g);
  }
}

TEST_CASE("annealing finds groups that a shuffle hid") {
  // 40 cliques of 6, chained.
  std::vector<WeightedEdge> edges;
  for (std::uint32_t clique = 0; clique < 40; ++clique) {
    for (Vertex a = 0; a < 6; ++a)
      for (Vertex b = 0; b < a; ++b) edges.push_back({clique * 6 + a, clique * 6 + b, 3});
    edges.push_back({clique * 6, (clique * 6 + 7) % 240, 1});
  }
  const WorkGraph graph = by_locality(CommGraph(240, edges));
  const std::vector<std::uint32_t> sizes(40, 6);
  GroupAssignment groups(shuffled_groups(240, 6, 9), sizes);
  AnnealingOptions options;
  options.sweeps = 2000;
  anneal(graph, groups, options, kNeverStop);
  CHECK(cut_weight(graph, group_of(groups)) == 2 * 40);
}

TEST_CASE("descending never raises the weight between groups, and ends where no swap helps") {
  std::mt19937 random(17);
  for (int round = 0; round < 20; ++round) {
    const WorkGraph graph = by_locality(CommGraph(60, test::random_edges(random, 60, 150, 30)));
    const std::vector<std::uint32_t> sizes(12, 5);
    GroupAssignment groups(shuffled_groups(60, 5, static_cast<unsigned>(round)), sizes);
    const double before = cut_weight(graph, group_of(groups));
    descend(graph, groups, 100, 1);
    const double after = cut_weight(graph, group_of(groups));
    CHECK(after <= before);
    for (Vertex v = 0; v < 60; ++v)
      for (const Arc& arc : graph.arcs_of(v))
        for (const Vertex w : groups.members(groups.group_of(arc.to))) {
          GroupAssignment tried = groups;
          tried.swap(v, w);
          CHECK(cut_weight(graph, group_of(tried)) >= after);
        }
  }
}

TEST_CASE("large graphs are annealed the same by one thread and by several") {
  const WorkGraph plane = by_locality(test::stencil({384, 256}, 3));
  const std::vector<std::uint32_t> sizes(384 * 256 / 8, 8);
  AnnealingOptions options;
  options.sweeps = 12;
  std::vector<std::uint32_t> first;
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::vector<std::uint32_t> start(plane.vertices());
    for (Vertex v = 0; v < start.size(); ++v) start[v] = v / 8;
    GroupAssignment groups(start, sizes);
    options.threads = threads;
    anneal(plane, groups, options, kNeverStop);
    descend(plane, groups, 2, threads);
    if (threads == 1) {
      first = group_of(groups);
      CHECK(cut_weight(plane, first) < cut_weight(plane, start));
    }
    CHECK(group_of(groups) == first);
  }
}

}  // namespace
}  // namespace huddle::commgraph
