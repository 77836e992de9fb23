#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/forest/tree.hpp"

namespace huddle {

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

/// What the tree says of all rows of the block, in units of TrainingRows::value.
/// Precondition: `said` has as many places as the block has rows.
void walk_tree(const Tree& tree, const RowBlock& block, std::span<double> said);

/// The same of some of its rows, in their order. Precondition: as many places as `rows`.
void walk_tree(const Tree& tree, const RowBlock& block, std::span<const std::uint32_t> rows,
               std::span<double> said);

}  // namespace huddle
