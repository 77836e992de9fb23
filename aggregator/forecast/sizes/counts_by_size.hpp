#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace huddle {

/// Tells what a count (of messages, bytes, calls) will be at a problem size from what it was at
/// others: where one form a s^b or a + c s^k (k of 1/3, 1/2, 2/3, 1, 4/3, 3/2, 2, 3) goes through
/// all of three sizes or more within 2 %, that of the best such form; else by a power of the size
/// between the two nearest sizes. Counts have next to no noise, and there may be millions: a
/// scaling law for each would be too slow and no better. Immutable; safe from any thread.
class CountsBySize {
 public:
  /// `sizes`: of the runs, ascending, at least one; several runs may have one size.
  CountsBySize(std::span<const double> sizes, double target);

  /// `counts`: of the runs, 0 or more. The result is 0 or more, and need not be whole.
  [[nodiscard]] double at_target(std::span<const double> counts) const;

 private:
  [[nodiscard]] double by_neighbours(std::span<const double> counts) const;

  double target_;
  std::vector<double> sizes_;             // different ones
  std::vector<std::size_t> size_of_run_;  // indices into sizes_
  // By exponent k: s^k at each size, and at the target behind them.
  std::vector<std::vector<double>> powers_;
};

}  // namespace huddle
