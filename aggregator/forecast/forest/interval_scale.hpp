#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/out_of_bag.hpp"

namespace huddle {

/// How wide intervals must be: conformal prediction with the rows that a tree did not see in place
/// of rows held back (U. Johansson, H. Boström, T. Löfström, H. Linusson, Regression conformal
/// prediction with random forests, Machine Learning 97, 2014).
///
/// A row of the training was predicted by those trees only that did not see it, about a third; a
/// new row is predicted by all, so it is predicted better. How much better is told by what the
/// first half of the trees makes of the training's rows: what half of the trees costs says what all
/// of them would save, as errors fall with 1 / trees.
class IntervalScale {
 public:
  IntervalScale() = default;
  /// `value` by place, `trees` of the whole forest.
  IntervalScale(const UnseenRows& unseen, const std::vector<double>& value, std::uint32_t trees);

  /// By how many times width() an interval must reach to each side to hold the share
  /// `probability` of rows; infinity if there are too few rows to tell.
  [[nodiscard]] double reach(double probability) const;

  /// What is likely off where trees spread so much.
  [[nodiscard]] double width(double spread) const { return spread + floor_; }

 private:
  double floor_ = 0;
  // By how many widths rows were off, increasing: by all trees that did not see them, by the first
  // half of them.
  std::vector<double> scores_;
  std::vector<double> half_scores_;
  double trees_to_come_ = 0;  // what share of the trees saw a row, on average
};

}  // namespace huddle
