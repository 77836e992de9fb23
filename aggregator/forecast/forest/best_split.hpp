#pragma once

#include <cstdint>
#include <span>

namespace huddle {

/// A row that a tree is grown on, and how often it was drawn.
struct DrawnRow {
  double value = 0;
  double times = 0;
};

/// Of the rows of a node, each as often as it was drawn.
struct RowSums {
  double sum = 0;
  double times = 0;
};

/// Where to split a node by one feature.
struct BestSplit {
  /// By how much the sum of squared errors falls, over what is the same for all splits of a node;
  /// below 0: none was found.
  double gain = -1;
  std::uint32_t feature = 0;
  std::uint32_t left = 0;  ///< rows that go left, of those sorted by that feature
};

/// Replaces `best` if a split by this feature gains more. `sorted` are the node's rows by
/// increasing code. Of equal splits the first wins.
void improve_split(std::span<const std::uint32_t> sorted, const std::uint32_t* code,
                   const DrawnRow* rows, const RowSums& all, std::uint32_t least_leaf,
                   std::uint32_t feature, BestSplit& best);

}  // namespace huddle
