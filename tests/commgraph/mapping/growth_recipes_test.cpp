#include "commgraph/mapping/growth_recipes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/commgraph/random_graphs.hpp"

namespace huddle {
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
}  // namespace huddle
