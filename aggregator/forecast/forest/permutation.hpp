#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/forest/grown_tree.hpp"
#include "aggregator/forecast/forest/training_rows.hpp"

namespace huddle {

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
