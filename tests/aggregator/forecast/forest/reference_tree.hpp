#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aggregator/forecast/forest/detail/tree_growing.hpp"
#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// A node of a tree grown the plain way: each node sorts its rows by each feature it may use and
/// looks at each place between two different numbers.
struct ReferenceNode {
  std::uint32_t feature = 0;
  double threshold = 0;
  double value = 0;  ///< mean of its rows
  std::unique_ptr<ReferenceNode> left;
  std::unique_ptr<ReferenceNode> right;
};

/// A row and how often it was drawn.
struct ReferenceRow {
  std::uint32_t row = 0;
  double times = 0;
};

/// `values` by row of `features`.
std::unique_ptr<ReferenceNode> grow_reference(const FeatureMatrix& features,
                                              const std::vector<double>& values,
                                              const std::vector<ReferenceRow>& rows,
                                              const TreeSettings& settings, std::uint64_t key,
                                              std::uint32_t depth = 0);

}  // namespace huddle::forecast
