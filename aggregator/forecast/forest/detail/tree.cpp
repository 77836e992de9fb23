#include "aggregator/forecast/forest/detail/tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aggregator/forecast/forest/random_stream.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

constexpr std::size_t kTogether = RowBlock::kTogether;

void walk_together(const TreeNode* nodes, const double* numbers, double* said) {
  std::array<std::uint32_t, kTogether> at{};
  std::uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    for (std::size_t i = 0; i < kTogether; ++i) {
      const TreeNode& node = nodes[at[i]];
      const double number = numbers[std::size_t{node.feature} * kTogether + i];
      const std::uint32_t next = node.next + static_cast<std::uint32_t>(number > node.number);
      moved |= next ^ at[i];
      at[i] = next;
    }
  }
  for (std::size_t i = 0; i < kTogether; ++i) said[i] = nodes[at[i]].number;
}

}  // namespace

DrawnRows::DrawnRows(const std::vector<std::uint16_t>& times) : words_((times.size() + 63) / 64) {
  for (std::size_t place = 0; place < times.size(); ++place)
    words_[place / 64] |= static_cast<std::uint64_t>(times[place] != 0) << (place % 64);
}

void draw_rows(std::uint64_t key, std::uint32_t rows, std::vector<std::uint16_t>& times) {
  times.assign(rows, 0);
  RandomStream random(key);
  for (std::uint32_t i = 0; i < rows; ++i) ++times[random.below(rows)];
}

std::size_t RowBlock::good_size(std::size_t features) {
  constexpr std::size_t kNumbers = 32768;
  return std::max<std::size_t>(8, kNumbers / (features + 1) / kTogether) * kTogether;
}

RowBlock::RowBlock(const FeatureMatrix& features, std::span<const std::uint32_t> rows)
    : rows_(rows.size()),
      width_(features.features() + 1),
      numbers_((rows_ + kTogether - 1) / kTogether * kTogether * width_) {
  for (std::size_t f = 0; f + 1 < width_; ++f) {
    const std::span<const double> numbers = features.feature(f);
    for (std::size_t i = 0; i < rows_; ++i) {
      const double number = numbers[rows[i]];
      if (!std::isfinite(number))
        throw Error(
            fmt::format("a forest can't predict row {}: feature {} is {}; finite numbers "
                        "are needed, so leave the row out",
                        rows[i], f, number));
      at(i, f) = number;
    }
  }
  const std::size_t filled = numbers_.size() / width_;
  for (std::size_t i = 0; i < filled; ++i)
    at(i, width_ - 1) = -std::numeric_limits<double>::infinity();
}

void walk_tree(const Tree& tree, const RowBlock& block, std::span<double> said) {
  const std::size_t whole = said.size() / kTogether;
  for (std::size_t i = 0; i < whole; ++i)
    walk_together(tree.nodes.data(), block.together(i), said.data() + i * kTogether);
  if (whole * kTogether == said.size()) return;
  std::array<double, kTogether> last{};
  walk_together(tree.nodes.data(), block.together(whole), last.data());
  std::copy_n(last.begin(), said.size() - whole * kTogether, said.data() + whole * kTogether);
}

void walk_tree(const Tree& tree, const RowBlock& block, std::span<const std::uint32_t> rows,
               std::span<double> said) {
  std::vector<double> numbers(kTogether * block.width());
  std::array<double, kTogether> last{};
  for (std::size_t done = 0; done < rows.size(); done += kTogether) {
    const std::size_t count = std::min(kTogether, rows.size() - done);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t f = 0; f < block.width(); ++f)
        numbers[f * kTogether + i] = block.at(rows[done + i], f);
    for (std::size_t i = count; i < kTogether; ++i)
      for (std::size_t f = 0; f < block.width(); ++f)
        numbers[f * kTogether + i] = numbers[f * kTogether];
    walk_together(tree.nodes.data(), numbers.data(), last.data());
    std::copy_n(last.begin(), count, said.data() + done);
  }
}

}  // namespace huddle::forecast
