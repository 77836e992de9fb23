#pragma once

#include <cstdint>
#include <vector>

namespace huddle {

/// A node of a regression tree, made for branch-free steps: from it one goes on to
/// `next + (number of feature > number)`. A leaf names the feature behind the last, which is
/// -infinity in every row, and itself as next; its number is what it says, in units of
/// TrainingRows::value.
struct TreeNode {
  double number = 0;
  std::uint32_t next = 0;
  std::uint32_t feature = 0;
};

/// A grown tree. The root is node 0.
struct Tree {
  std::vector<TreeNode> nodes;
};

}  // namespace huddle
