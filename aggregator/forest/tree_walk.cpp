#include "aggregator/forest/tree_walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// A step waits for the memory of the step before; so many rows wait at the same time.
constexpr std::size_t kTogether = 8;

void walk_together(const TreeNode* nodes, const std::array<const double*, kTogether>& row,
                   double* said) {
  std::array<std::uint32_t, kTogether> at{};
  std::uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (std::size_t i = 0; i < kTogether; ++i) {
      const TreeNode& node = nodes[at[i]];
      const std::uint32_t next =
          node.next + static_cast<std::uint32_t>(row[i][node.feature] > node.number);
      moved |= next ^ at[i];
      at[i] = next;
    }
  }
  for (std::size_t i = 0; i < kTogether; ++i) said[i] = nodes[at[i]].number;
}

}  // namespace

std::size_t RowBlock::good_size(std::size_t features) {
  constexpr std::size_t kNumbers = 32768;
  return std::max<std::size_t>(64, kNumbers / (features + 1));
}

RowBlock::RowBlock(const FeatureMatrix& features, std::span<const std::uint32_t> rows)
    : rows_(rows.size()), stride_(features.features() + 1), numbers_(rows_ * stride_) {
  for (std::size_t f = 0; f + 1 < stride_; ++f) {
    const std::span<const double> numbers = features.feature(f);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double number = numbers[rows[i]];
      if (!std::isfinite(number))
        throw Error(
            fmt::format("a forest can't foretell row {}: feature {} is {}; finite numbers "
                        "are needed, so leave the row out",
                        rows[i], f, number));
      numbers_[i * stride_ + f] = number;
    }
  }
  for (std::size_t i = 0; i < rows_; ++i)
    numbers_[i * stride_ + stride_ - 1] = -std::numeric_limits<double>::infinity();
}

void walk_tree(const Tree& tree, const RowBlock& block, std::span<const std::uint32_t> rows,
               std::span<double> said) {
  std::array<const double*, kTogether> row{};
  std::size_t done = 0;
  for (; done + kTogether <= rows.size(); done += kTogether) {
    for (std::size_t i = 0; i < kTogether; ++i) row[i] = block.row(rows[done + i]);
    walk_together(tree.nodes.data(), row, said.data() + done);
  }
  if (done == rows.size()) return;
  std::array<double, kTogether> last{};
  for (std::size_t i = 0; i < kTogether; ++i)
    row[i] = block.row(rows[std::min(done + i, rows.size() - 1)]);
  walk_together(tree.nodes.data(), row, last.data());
  std::copy_n(last.begin(), rows.size() - done, said.begin() + static_cast<std::ptrdiff_t>(done));
}

}  // namespace huddle
