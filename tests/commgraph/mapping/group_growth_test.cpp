#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "commgraph/mapping/detail/group_growth.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

WorkGraph renumbered(const CommGraph& graph) {
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
    const auto group_of = grow_groups(renumbered(graph), sizes, options);
    CHECK(sizes_of(group_of, static_cast<std::uint32_t>(sizes.size())) == sizes);
  }
}

TEST_CASE("sizes that sum to less leave the rest ungrouped") {
  const WorkGraph graph = renumbered(test::stencil({6, 6}, 1));
  const auto group_of = grow_groups(graph, std::vector<std::uint32_t>{4, 3}, {});
  CHECK(std::count(group_of.begin(), group_of.end(), 0U) == 4);
  CHECK(std::count(group_of.begin(), group_of.end(), 1U) == 3);
  CHECK(std::count(group_of.begin(), group_of.end(), kUngrouped) == 29);
}

TEST_CASE("a shuffled plane is tiled by squares, then by pairs of them") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WorkGraph plane = renumbered(test::stencil({32, 24}, seed));
    const auto group_of = grow_nested_groups(plane, std::vector<std::uint32_t>{4, 2}, {});
    CHECK(sizes_of(group_of, 96) == std::vector<std::uint32_t>(96, 8));
    // Every tile of 2 x 4 has 10 edges inside, and no 8 points of a plane have more.
    CHECK(cut_weight(plane, group_of) == 2 * (32 * 23 + 31 * 24 - 96 * 10));
  }
}

TEST_CASE("a shuffled space is tiled by cubes") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const WorkGraph space = renumbered(test::stencil({8, 6, 10}, seed));
    const auto group_of = grow_nested_groups(space, std::vector<std::uint32_t>{8}, {});
    CHECK(cut_weight(space, group_of) == 2 * (7 * 6 * 10 + 8 * 5 * 10 + 8 * 6 * 9 - 60 * 12));
  }
}

TEST_CASE("vertices without edges are grouped, too") {
  const auto group_of =
      grow_nested_groups(renumbered(CommGraph(12)), std::vector<std::uint32_t>{2, 3}, {});
  CHECK(sizes_of(group_of, 2) == std::vector<std::uint32_t>{6, 6});
}

}  // namespace

namespace {

TEST_CASE("the steps of every recipe multiply to the group's size") {
  for (const Steps kind :
       {Steps::kFoursFirst, Steps::kUpToTwelve, Steps::kUpToEight, Steps::kSmallest})
    for (std::uint32_t size = 1; size <= 200; ++size) {
      const auto steps = steps_to(size, kind);
      CHECK(std::accumulate(steps.begin(), steps.end(), 1U, std::multiplies<>()) == size);
    }
  CHECK(steps_to(96, Steps::kUpToTwelve) == std::vector<std::uint32_t>{12, 8});
  CHECK(steps_to(96, Steps::kFoursFirst) == std::vector<std::uint32_t>{4, 12, 2});
  CHECK(steps_to(13, Steps::kUpToEight) == std::vector<std::uint32_t>{13});
}

TEST_CASE("a recipe is not tried twice where two come to the same") {
  CHECK(different_recipes(8).size() < kGrowthRecipes.size());
  CHECK(different_recipes(48).size() == kGrowthRecipes.size());
}

TEST_CASE("every recipe gives the sizes asked for, the last group what is left over") {
  std::mt19937 random(71);
  for (const GrowthRecipe& recipe : kGrowthRecipes)
    for (const std::vector<std::uint32_t>& sizes :
         {std::vector<std::uint32_t>{8, 8, 8}, {12, 12, 5}, {6, 1}, {3, 7, 2, 2}}) {
      const std::uint32_t vertices = std::accumulate(sizes.begin(), sizes.end(), 0U);
      const CommGraph graph(vertices, test::random_edges(random, vertices, 40, 9));
      const auto groups =
          grow_by(recipe, renumbered(graph.view(), locality_order(graph.view())), sizes);
      for (std::uint32_t group = 0; group < sizes.size(); ++group)
        CHECK(std::count(groups.begin(), groups.end(), group) == sizes[group]);
    }
}

}  // namespace

}  // namespace huddle::commgraph
