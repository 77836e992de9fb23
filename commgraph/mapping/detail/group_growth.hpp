#pragma once

// Bottom-up grouping: groups grow vertex by vertex, and a few recipes for it that are worth a try.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/mapping/detail/work_graph.hpp"

namespace huddle::commgraph {

/// Choices in growing groups. None is best for every graph: the first three matter on meshes, whose
/// perfect tilings some find and others miss; see docs/decisions/0011-mapping-engine.md.
struct GrowthOptions {
  /// Number of sets of vertices that are followed side by side while a group grows.
  std::uint32_t beam = 4;
  /// Costs of an arc to a vertex that is in no group yet, and of one to an earlier group, as shares
  /// of its weight; an arc within the group earns twice its weight. At 1 and 0 a group leaves as
  /// little as possible open, so that the front of all groups stays straight; at 1 and 1 it has
  /// least weight to the outside, wherever the front is; at 0 and 0 most weight inside, however
  /// much its vertices have elsewhere.
  float cost_of_open_arcs = 1;
  float cost_of_closed_arcs = 0;
  /// True if, of sets that are equally good, the one wins that borders on few groups broadly.
  bool align = false;

  friend bool operator==(const GrowthOptions&, const GrowthOptions&) = default;
};

/// The group of a vertex that is in none.
inline constexpr std::uint32_t kUngrouped = 0xFFFF'FFFF;

/// Grows groups of exactly sizes[0], sizes[1], ... vertices, one after another, so that little
/// weight joins different groups: each starts at the vertex that has the least weight left to
/// ungrouped ones, next to the groups so far, and grows to the best set that a beam search finds.
/// Returns the group of each vertex. Near groups mostly have near numbers. Deterministic.
/// Precondition: the sizes are at least 1 and sum to at most the number of vertices.
std::vector<std::uint32_t> grow_groups(const WorkGraph& graph, std::span<const std::uint32_t> sizes,
                                       const GrowthOptions& options);

/// Puts every vertex into a group, in several steps: groups of steps[0] vertices, then groups of
/// steps[1] of those, and so on. Precondition: there are steps, and their product divides the
/// number of vertices.
std::vector<std::uint32_t> grow_nested_groups(const WorkGraph& graph,
                                              std::span<const std::uint32_t> steps,
                                              const GrowthOptions& options);

/// The steps that a group's size is made of: factors up to a limit, the largest first; a four, then
/// such; or the smallest factors.
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

/// True if all sizes are the same but for the last one, which may be less.
bool are_alike(std::span<const std::uint32_t> sizes);

/// Puts every vertex into a group of `size`; what is left over is the last group.
std::vector<std::uint32_t> grow_alike(const GrowthRecipe& recipe, const WorkGraph& graph,
                                      std::uint32_t size);

/// Groups of any sizes that sum to the number of vertices; in steps only if they are alike.
std::vector<std::uint32_t> grow_by(const GrowthRecipe& recipe, const WorkGraph& graph,
                                   std::span<const std::uint32_t> sizes);

}  // namespace huddle::commgraph
