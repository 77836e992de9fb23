#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "aggregator/forecast/forest/feature_matrix.hpp"

namespace huddle::forecast {

/// R^2, the coefficient of determination, of 1: the share of the values' variance that is
/// predicted. Below 0 if their mean would have been better; NaN if there are none or they do not
/// vary. Both of one length.
double r_squared(std::span<const double> measured, std::span<const double> predicted);

/// value = constant + sum of coefficient x feature, by least squares. A plain value.
struct LinearModel {
  std::vector<double> coefficients;  ///< by feature; 0 for one that follows from others
  double constant = 0;

  /// Fits to the rows of `features` with these indices, at least one; `values` has a number for
  /// each row of `features`, all finite. Features are standardised and the rank is found out, so
  /// that scales, constant features and features that follow from others do no harm.
  static LinearModel fit(const FeatureMatrix& features, std::span<const double> values,
                         std::span<const std::uint32_t> rows);

  /// For these rows, in their order. Precondition: features as it was fitted on.
  [[nodiscard]] std::vector<double> predict(const FeatureMatrix& features,
                                            std::span<const std::uint32_t> rows) const;
};

}  // namespace huddle::forecast
