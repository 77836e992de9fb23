#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/forest/grown_tree.hpp"
#include "aggregator/forecast/forest/training_rows.hpp"

namespace huddle {

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

}  // namespace huddle
