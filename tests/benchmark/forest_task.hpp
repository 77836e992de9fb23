#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/forest/forest.hpp"

namespace huddle {

/// The task of a library: rows of a program on many problem sizes, to predict the energy of its
/// regions from what was counted, and which rows it may learn from.
struct ForestTask {
  forecast::FeatureMatrix features;
  std::vector<double> values;
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> others;
  forecast::ForestSettings settings;
};

/// Rows of the shape of S. Benedict et al. (TOEP): sizes and threads in the shares of their table,
/// by decreasing energy; 3 features (cache misses, size, time) or 9. One row in `one_in` is for
/// learning. A law with noise; with outliers, one row of 1,000 is three times too large.
ForestTask make_forest_task(std::uint32_t rows, std::uint32_t features, std::uint32_t one_in,
                            bool outliers);

/// The result of a library, and the time it took.
struct ForestRun {
  double grow_s = 0;
  double predict_s = 0;
  std::vector<double> predicted;  ///< of the others
};

ForestRun run_own_forest(const ForestTask& task);

/// XGBoost's random forests, by its tree method "exact" or "hist".
ForestRun run_xgboost(const ForestTask& task, const char* tree_method);
extern const bool kHaveXgboost;

/// dlib's random_forest_regression_trainer; the number of threads can't be chosen.
ForestRun run_dlib(const ForestTask& task);
extern const bool kHaveDlib;

}  // namespace huddle
