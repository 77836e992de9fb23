#pragma once

// Internal to commgraph/mapping: the ways of growing groups that are worth a try.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/mapping/group_growth.hpp"

namespace huddle {

/// How a group's size is made of steps: of factors up to a limit, the largest first; of a four,
/// then such; or of the smallest factors.
enum class Steps : std::uint8_t { kFoursFirst, kUpToTwelve, kUpToEight, kSmallest };

struct GrowthRecipe {
  Steps steps;
  GrowthOptions growth;
};

/// docs/decisions/0011-mapping-engine.md says what each is good at.
inline constexpr std::array kGrowthRecipes = {GrowthRecipe{Steps::kFoursFirst, {4, 0.0F, 0, true}},
                                              GrowthRecipe{Steps::kUpToTwelve, {4, 1.0F, 0, false}},
                                              GrowthRecipe{Steps::kUpToTwelve, {16, 0.0F, 0, true}},
                                              GrowthRecipe{Steps::kUpToTwelve, {16, 0.1F, 0, true}},
                                              GrowthRecipe{Steps::kUpToEight, {4, 1.0F, 0, false}},
                                              GrowthRecipe{Steps::kUpToEight, {16, 0.0F, 0, true}},
                                              GrowthRecipe{Steps::kFoursFirst, {16, 0.1F, 0, true}},
                                              GrowthRecipe{Steps::kSmallest, {4, 1.0F, 0, true}}};

/// The factors of a group's size in the order in which they are grown.
std::vector<std::uint32_t> steps_to(std::uint32_t size, Steps kind);

/// The indices of the recipes that differ for groups of this size.
std::vector<std::size_t> different_recipes(std::uint32_t size);

/// Whether all sizes are the same but for the last one, which may be less.
bool are_alike(std::span<const std::uint32_t> sizes);

/// Puts every vertex into a group of `size`; what is left over is the last group.
std::vector<std::uint32_t> grow_alike(const GrowthRecipe& recipe, const WorkGraph& graph,
                                      std::uint32_t size);

/// Groups of any sizes that sum to the number of vertices; in steps only if they are alike.
std::vector<std::uint32_t> grow_by(const GrowthRecipe& recipe, const WorkGraph& graph,
                                   std::span<const std::uint32_t> sizes);

}  // namespace huddle
