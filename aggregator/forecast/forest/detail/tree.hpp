#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

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

/// Rows that a tree saw, a bit for each place.
class DrawnRows {
 public:
  DrawnRows() = default;
  explicit DrawnRows(const std::vector<std::uint16_t>& times);
  [[nodiscard]] bool drawn(std::size_t place) const {
    return ((words_[place / 64] >> (place % 64)) & 1U) != 0;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Draws as many rows as there are, with replacement: how often each was drawn, into `times`.
void draw_rows(std::uint64_t key, std::uint32_t rows, std::vector<std::uint16_t>& times);

/// A tree and the rows it was grown on.
struct GrownTree {
  Tree tree;
  DrawnRows drawn;
};

/// Some rows of a matrix, laid out for walks: kTogether rows after one another, feature by feature,
/// with -infinity behind the last feature of each (see TreeNode).
class RowBlock {
 public:
  /// A step of a walk waits for the memory of the step before; so many rows wait at a time.
  static constexpr std::size_t kTogether = 8;

  /// So many rows that a block stays in a core's cache beside a tree.
  static std::size_t good_size(std::size_t features);

  /// Throws Error if a number isn't finite.
  RowBlock(const FeatureMatrix& features, std::span<const std::uint32_t> rows);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// The numbers of each row there are together: features and what is behind the last.
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Rows index x kTogether and behind it.
  [[nodiscard]] const double* together(std::size_t index) const {
    return numbers_.data() + index * kTogether * width_;
  }
  [[nodiscard]] double at(std::size_t row, std::size_t feature) const {
    return numbers_[place_of(row, feature)];
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t feature) {
    return numbers_[place_of(row, feature)];
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t row, std::size_t feature) const {
    return (row / kTogether * width_ + feature) * kTogether + row % kTogether;
  }

  std::size_t rows_;
  std::size_t width_;
  std::vector<double> numbers_;  // those of rows that fill up the last ones are 0
};

/// Predictions of the tree for all rows of the block, in units of TrainingRows::value.
/// Precondition: `said` has as many places as the block has rows.
void walk_tree(const Tree& tree, const RowBlock& block, std::span<double> said);

/// The same of some of its rows, in their order. Precondition: as many places as `rows`.
void walk_tree(const Tree& tree, const RowBlock& block, std::span<const std::uint32_t> rows,
               std::span<double> said);

}  // namespace huddle::forecast
