#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/forest/forest.hpp"

namespace huddle {

/// R^2 of `forest`, of 1, as far as its training `rows` can tell. Up to 3,000 of them: of five
/// parts, each is predicted by a forest grown on the other four; every fifth row is of one part.
/// With more rows: out of bag, which comes to the same then and costs nothing.
double cross_validated_r2(const FeatureMatrix& features, std::span<const double> values,
                          const std::vector<std::uint32_t>& rows, const Forest& forest,
                          const ForestSettings& settings);

}  // namespace huddle
