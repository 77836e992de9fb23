#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace huddle {

/// What trees say of rows, summed up in the order of the calls.
class TreeSums {
 public:
  explicit TreeSums(std::size_t rows) : rows_(rows) {}

  void add(std::size_t row, double said) {
    Sums& sums = rows_[row];
    if (sums.trees++ == 0) sums.first = said;
    const double above = said - sums.first;
    sums.sum += said;
    sums.above += above;
    sums.squares += above * above;
  }

  [[nodiscard]] std::uint32_t trees(std::size_t row) const { return rows_[row].trees; }
  /// Precondition: trees(row) > 0.
  [[nodiscard]] double mean(std::size_t row) const { return rows_[row].sum / rows_[row].trees; }
  /// Standard deviation; 0 if there are fewer than two.
  [[nodiscard]] double spread(std::size_t row) const {
    const Sums& sums = rows_[row];
    if (sums.trees < 2) return 0;
    const double squares = sums.squares - sums.above * sums.above / sums.trees;
    return squares > 0 ? std::sqrt(squares / (sums.trees - 1)) : 0;
  }

 private:
  // Squares are taken from what the first tree said: those of large numbers that differ little
  // would lose all digits.
  struct Sums {
    double first = 0;
    double sum = 0;
    double above = 0;
    double squares = 0;
    std::uint32_t trees = 0;
  };
  std::vector<Sums> rows_;
};

}  // namespace huddle
