#include "commgraph/mapping/growth_recipes.hpp"

#include <algorithm>

namespace huddle {
namespace {

std::uint32_t smallest_factor(std::uint32_t number) {
  for (std::uint32_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0) return factor;
  return number;
}

// A factor of `number` that is as large as the limit permits; or else its smallest one.
std::uint32_t largest_factor(std::uint32_t number, std::uint32_t limit) {
  for (std::uint32_t factor = limit; factor > 1; --factor)
    if (number % factor == 0) return factor;
  return smallest_factor(number);
}

}  // namespace

std::vector<std::uint32_t> steps_to(std::uint32_t size, Steps kind) {
  constexpr std::uint32_t kTwelve = 12;
  constexpr std::uint32_t kEight = 8;
  std::vector<std::uint32_t> steps;
  if (kind == Steps::kFoursFirst && size % 4 == 0) {
    steps.push_back(4);
    size /= 4;
  }
  while (size > 1) {
    steps.push_back(kind == Steps::kSmallest
                        ? smallest_factor(size)
                        : largest_factor(size, kind == Steps::kUpToEight ? kEight : kTwelve));
    size /= steps.back();
  }
  if (steps.empty()) steps.push_back(1);
  return steps;
}

std::vector<std::size_t> different_recipes(std::uint32_t size) {
  std::vector<std::size_t> chosen;
  const auto same = [&](std::size_t a, std::size_t b) {
    return kGrowthRecipes[a].growth == kGrowthRecipes[b].growth &&
           steps_to(size, kGrowthRecipes[a].steps) == steps_to(size, kGrowthRecipes[b].steps);
  };
  for (std::size_t i = 0; i < kGrowthRecipes.size(); ++i)
    if (std::none_of(chosen.begin(), chosen.end(),
                     [&](std::size_t other) { return same(i, other); }))
      chosen.push_back(i);
  return chosen;
}

bool are_alike(std::span<const std::uint32_t> sizes) {
  return sizes.back() <= sizes[0] &&
         std::all_of(sizes.begin(), sizes.end() - 1,
                     [&](std::uint32_t size) { return size == sizes[0]; });
}

std::vector<std::uint32_t> grow_alike(const GrowthRecipe& recipe, const WorkGraph& graph,
                                      std::uint32_t size) {
  const std::vector<std::uint32_t> steps = steps_to(size, recipe.steps);
  const std::uint32_t full = graph.vertices() / size;
  const std::uint32_t left = graph.vertices() % size;
  if (left == 0) return grow_nested_groups(graph, steps, recipe.growth);
  // What is left over is grown first, so that the others come out even.
  const std::vector<std::uint32_t> by_left = grow_groups(graph, std::span(&left, 1), recipe.growth);
  std::vector<Vertex> others;
  for (Vertex v = 0; v < graph.vertices(); ++v)
    if (by_left[v] == kUngrouped) others.push_back(v);
  std::vector<Vertex> number(graph.vertices(), kNoVertex);
  const std::vector<std::uint32_t> among_others =
      grow_nested_groups(induced(graph, others, number), steps, recipe.growth);
  std::vector<std::uint32_t> result(graph.vertices(), full);
  for (std::size_t i = 0; i < others.size(); ++i) result[others[i]] = among_others[i];
  return result;
}

std::vector<std::uint32_t> grow_by(const GrowthRecipe& recipe, const WorkGraph& graph,
                                   std::span<const std::uint32_t> sizes) {
  return are_alike(sizes) ? grow_alike(recipe, graph, sizes[0])
                          : grow_groups(graph, sizes, recipe.growth);
}

}  // namespace huddle
