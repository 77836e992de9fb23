#pragma once

#include <Eigen/Dense>
#include <span>

#include "aggregator/forecast/laws/fitted_law.hpp"

namespace huddle::forecast {

/// The x with no negative element for which |A x - b| is least, from A'A and A'b (C. Lawson and
/// R. Hanson, Solving Least Squares Problems, 1974, chapter 23, on normal equations: for few
/// columns). Columns of about the same length are best. `gram` is square and symmetric.
Eigen::VectorXd solve_nonnegative(const Eigen::MatrixXd& gram, const Eigen::VectorXd& moments);

/// Weights for a fit that a few outliers do not distort: 1 for errors that are of usual size,
/// less the larger they are (P. Huber, Robust Estimation of a Location Parameter, 1964).
/// `usual` is how many of the errors' robust standard deviations still count as usual.
Eigen::VectorXd outlier_weights(const Eigen::VectorXd& errors, double usual);

/// fit_form() of a form that is a sum.
FittedLaw fit_sum(const LawForm& form, const LawSamples& samples,
                  std::span<const std::size_t> indices);

}  // namespace huddle::forecast
