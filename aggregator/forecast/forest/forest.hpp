#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// Settings of a forest's growth. The defaults are those of Breiman's program for regression where
/// not said.
struct ForestSettings {
  std::uint32_t trees = 100;
  /// Number of features, drawn anew, that each split may choose from; 0: a third of them, at
  /// least 1.
  std::uint32_t features_per_split = 0;
  /// A leaf has at least so many different rows, as in scikit-learn; 0 is taken as 1. (In Breiman's
  /// program rows that were drawn several times count as often, so its leaves are smaller.)
  std::uint32_t least_leaf = 5;
  /// Splits between root and leaf at most; 0: any number.
  std::uint32_t most_depth = 0;
  /// The same seed gives the same forest on any number of threads.
  std::uint64_t seed = 1;
  /// 0: as many as there are processors. Changes the time, never the result.
  std::uint32_t threads = 0;
};

/// Random forest for regression: L. Breiman, Random Forests, Machine Learning 45 (2001). Each tree
/// is grown on as many rows as there are, drawn with replacement, and splits where the sum of
/// squared errors falls most. Immutable; all members may be used by several threads at once.
class Forest {
 public:
  /// Grows a forest on the rows of `features` with these indices (all of them if empty; none
  /// twice); `values` has one number for each row of `features`. Their order matters only among
  /// rows of equal value. Throws Error if there is no row or no feature, a number in these rows
  /// isn't finite, or the settings can't be.
  static Forest grow(const FeatureMatrix& features, std::span<const double> values,
                     std::span<const std::uint32_t> rows, const ForestSettings& settings);

  /// The means of the trees, for these rows of `features` (all if empty), in their order.
  /// Throws Error if there are not as many features as it was grown on, or one isn't finite.
  [[nodiscard]] std::vector<double> predict(const FeatureMatrix& features,
                                            std::span<const std::uint32_t> rows = {},
                                            std::uint32_t threads = 0) const;

  /// For each row it was grown on, in the order of grow()'s rows: the mean of the trees that did
  /// not see it; NaN if all did.
  [[nodiscard]] const std::vector<double>& out_of_bag() const;
  /// R^2 of those, of 1; NaN if they do not vary.
  [[nodiscard]] double out_of_bag_r2() const;

  /// For each feature, by how much the mean squared error of out-of-bag rows rises if that
  /// feature's values change places among them, over the error before; averaged over the trees.
  /// Useless features are about 0. Source: Breiman 2001, section 10. `features` and
  /// `values` as in grow().
  [[nodiscard]] std::vector<double> permutation_importance(const FeatureMatrix& features,
                                                           std::span<const double> values,
                                                           std::uint32_t threads = 0) const;

 private:
  struct Grown;
  explicit Forest(std::shared_ptr<const Grown> grown) : grown_(std::move(grown)) {}
  std::shared_ptr<const Grown> grown_;
};

}  // namespace huddle::forecast
