#include "commgraph/mapping/group_growth.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle {
namespace {

WorkGraph by_locality(const CommGraph& graph) {
  return renumbered(graph.view(), locality_order(graph.view()));
}

std::vector<std::uint32_t> sizes_of(const std::vector<std::uint32_t>& group_of,
                                    std::uint32_t groups) {
  std::vector<std::uint32_t> sizes(groups, 0);
  for (const std::uint32_t group : group_of) {
    REQUIRE(group < groups);
    ++sizes[group];
  }
  return sizes;
}

TEST_CASE("groups have the sizes asked for, whatever the graph") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t g = 0; g < test::number_in(random, 1, 9); ++g)
      sizes.push_back(test::number_in(random, 1, 13));
    std::uint32_t vertices = 0;
    for (const std::uint32_t size : sizes) vertices += size;
    const CommGraph graph(vertices,
                          test::random_edges(random, vertices, random() % (4 * vertices), 50));
    GrowthOptions options;
    options.beam = test::number_in(random, 1, 8);
    options.cost_of_closed_arcs = static_cast<float>(random() % 3) / 2;
    options.align = random() % 2 == 0;
    const auto group_of = grow_groups(by_locality(graph), sizes, options);
    CHECK(sizes_of(group_of, static_cast<std::uint32_t>(sizes.size())) == sizes);
  }
}

TEST_CASE("sizes that sum to less leave the rest ungrouped") {
  const WorkGraph graph = by_locality(test::stencil({6, 6}, 1));
  const auto group_of = grow_groups(graph, std::vector<std::uint32_t>{4, 3}, {});
  CHECK(std::count(group_of.begin(), group_of.end(), 0U) == 4);
  CHECK(std::count(group_of.begin(), group_of.end(), 1U) == 3);
  CHECK(std::count(group_of.begin(), group_of.end(), kUngrouped) == 29);
}

TEST_CASE("a shuffled plane is tiled by squares, then by pairs of them") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WorkGraph plane = by_locality(test::stencil({32, 24}, seed));
    const auto group_of = grow_nested_groups(plane, std::vector<std::uint32_t>{4, 2}, {});
    CHECK(sizes_of(group_of, 96) == std::vector<std::uint32_t>(96, 8));
    // Every tile of 2 x 4 has 10 edges inside, and no 8 points of a plane have more.
    CHECK(cut_weight(plane, group_of) == 2 * (32 * 23 + 31 * 24 - 96 * 10));
  }
}

TEST_CASE("a shuffled space is tiled by cubes") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WorkGraph space = by_locality(test::stencil({8, 6, 10}, seed));
    const auto group_of = grow_nested_groups(space, std::vector<std::uint32_t>{8}, {});
    CHECK(cut_weight(space, group_of) == 2 * (7 * 6 * 10 + 8 * 5 * 10 + 8 * 6 * 9 - 60 * 12));
  }
}

TEST_CASE("vertices without edges are grouped, too") {
  const auto group_of =
      grow_nested_groups(by_locality(CommGraph(12)), std::vector<std::uint32_t>{2, 3}, {});
  CHECK(sizes_of(group_of, 2) == std::vector<std::uint32_t>{6, 6});
}

}  // namespace
}  // namespace huddle
