#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/detail/training_rows.hpp"
#include "aggregator/forecast/forest/detail/tree.hpp"
#include "aggregator/forecast/forest/feature_matrix.hpp"

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

/// What the trees that did not see a row say of it, in units of TrainingRows::value.
struct UnseenRow {
  std::uint32_t trees = 0;  ///< so many did not see it
  double mean = 0;          ///< meaningful if there is one
  double spread = 0;        ///< standard deviation among them; meaningful if there are two
};

/// By place: of the whole forest, and of the first half of its trees.
struct UnseenRows {
  std::vector<UnseenRow> all;
  std::vector<UnseenRow> half;
};

/// Sums go from the first tree to the last, whatever the number of threads.
UnseenRows unseen_rows(const std::vector<GrownTree>& trees, const TrainingRows& rows,
                       const FeatureMatrix& features, unsigned threads);

/// How wide intervals must be: conformal prediction with the rows that a tree did not see in place
/// of rows held back (U. Johansson, H. Boström, T. Löfström, H. Linusson, Regression conformal
/// prediction with random forests, Machine Learning 97, 2014).
///
/// A row of the training was predicted by those trees only that did not see it, about a third; a
/// new row is predicted by all, so it is predicted better. How much better is seen in
/// what the first half of the trees makes of the training rows: what half of the trees costs is what
/// all of them would save, as errors fall with 1 / trees.
class IntervalScale {
 public:
  IntervalScale() = default;
  /// `value` by place, `trees` of the whole forest.
  IntervalScale(const UnseenRows& unseen, const std::vector<double>& value, std::uint32_t trees);

  /// By how many times width() an interval must reach to each side to hold the share
  /// `probability` of rows; infinity if there are too few rows.
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

/// Squared errors of the rows that a tree did not see, summed over all trees: as they are, and with
/// each feature's numbers having changed places among them.
struct PermutedErrors {
  double before = 0;
  std::vector<double> after;  ///< by feature
};

/// `rows` has each place's row of `features`; `value` its value.
PermutedErrors permuted_errors(const std::vector<GrownTree>& trees,
                               const std::vector<std::uint32_t>& rows,
                               const std::vector<double>& value, const FeatureMatrix& features,
                               std::uint64_t seed, unsigned threads);

}  // namespace huddle
