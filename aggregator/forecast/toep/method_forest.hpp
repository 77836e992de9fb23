#pragma once

#include <algorithm>
#include <cstddef>

#include "aggregator/forecast/forest/forest.hpp"
#include "aggregator/forecast/toep/published_method.hpp"

namespace huddle {

/// How the method's forests grow on so many rows and variables; the paper does not say. Each split
/// chooses from a third of the variables, but from three at least: of the three that are kept, each
/// may be the only one that tells a group of rows apart. A leaf may be a single row while there are
/// few, since each row counts then; of many rows it has five at least, which evens out their noise.
inline ForestSettings method_forest(const MethodSettings& settings, std::size_t rows,
                                    std::size_t variables) {
  constexpr std::size_t kFewRows = 5000;
  constexpr std::size_t kLeastChoice = 3;
  ForestSettings forest;
  forest.trees = settings.trees;
  forest.features_per_split = static_cast<std::uint32_t>(
      std::min(variables, std::max(kLeastChoice, variables / kLeastChoice)));
  forest.least_leaf = rows <= kFewRows ? 1 : 5;
  forest.seed = settings.seed;
  forest.threads = settings.threads;
  return forest;
}

}  // namespace huddle
