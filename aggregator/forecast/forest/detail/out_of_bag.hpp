#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/detail/training_rows.hpp"
#include "aggregator/forecast/forest/detail/tree.hpp"
#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// Predictions of trees for rows, summed up in the order of the calls.
class TreeSums {
 public:
  explicit TreeSums(std::size_t rows) : rows_(rows) {}

  void add(std::size_t row, double said) {
    ++rows_[row].trees;
    rows_[row].sum += said;
  }

  [[nodiscard]] std::uint32_t trees(std::size_t row) const { return rows_[row].trees; }
  /// Precondition: trees(row) > 0.
  [[nodiscard]] double mean(std::size_t row) const { return rows_[row].sum / rows_[row].trees; }

 private:
  struct Sums {
    double sum = 0;
    std::uint32_t trees = 0;
  };
  std::vector<Sums> rows_;
};

/// Prediction of the trees that did not see a row, in units of TrainingRows::value.
struct UnseenRow {
  std::uint32_t trees = 0;  ///< so many did not see it
  double mean = 0;          ///< meaningful if there is one
};

/// Values by place. Sums go from the first tree to the last, whatever the number of threads.
std::vector<UnseenRow> unseen_rows(const std::vector<GrownTree>& trees, const TrainingRows& rows,
                                   const FeatureMatrix& features, unsigned threads);

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

}  // namespace huddle::forecast
