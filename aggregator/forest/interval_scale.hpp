#pragma once

#include <vector>

#include "aggregator/forest/out_of_bag.hpp"
#include "aggregator/forest/training_rows.hpp"

namespace huddle {

/// How wide intervals must be: split conformal prediction with the rows that a tree did not see in
/// place of rows held back (U. Johansson, H. Boström, T. Löfström, H. Linusson, Regression
/// conformal prediction with random forests, Machine Learning 97, 2014).
class IntervalScale {
 public:
  IntervalScale() = default;
  /// `trees`: of the whole forest.
  IntervalScale(const std::vector<UnseenRow>& unseen, const std::vector<double>& value,
                std::uint32_t trees);

  /// By how many times width() an interval must reach to each side to hold the share
  /// `probability` of rows; infinity if there are too few rows to tell.
  [[nodiscard]] double reach(double probability) const;

  /// What is likely off where trees spread so much.
  [[nodiscard]] double width(double spread) const { return spread + floor_; }

 private:
  double floor_ = 0;
  std::vector<double> scores_;  // increasing: how many widths rows were off
};

}  // namespace huddle
