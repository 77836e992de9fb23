#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forest/feature_matrix.hpp"
#include "aggregator/forest/tree.hpp"

namespace huddle {

/// Some rows of a matrix, row by row, each with -infinity behind its last feature (see TreeNode).
class RowBlock {
 public:
  /// So many rows that a block stays in a core's cache beside a tree.
  static std::size_t good_size(std::size_t features);

  /// Throws Error if a number isn't finite.
  RowBlock(const FeatureMatrix& features, std::span<const std::uint32_t> rows);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t features() const { return stride_ - 1; }
  [[nodiscard]] const double* row(std::size_t index) const {
    return numbers_.data() + index * stride_;
  }
  [[nodiscard]] double& at(std::size_t row, std::size_t feature) {
    return numbers_[row * stride_ + feature];
  }

 private:
  std::size_t rows_;
  std::size_t stride_;
  std::vector<double> numbers_;
};

/// What the tree says of these rows of the block, in their order, into `said`, in units of
/// TrainingRows::value. Precondition: `said` has as many places as `rows`.
void walk_tree(const Tree& tree, const RowBlock& block, std::span<const std::uint32_t> rows,
               std::span<double> said);

}  // namespace huddle
