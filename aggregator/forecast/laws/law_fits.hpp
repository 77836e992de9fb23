#pragma once

// Internal to fit_form(): the two kinds of forms.

#include <Eigen/Dense>
#include <span>

#include "aggregator/forecast/laws/fitted_law.hpp"

namespace huddle {

FittedLaw fit_product(const LawForm& form, const LawSamples& samples,
                      std::span<const std::size_t> indices);
FittedLaw fit_sum(const LawForm& form, const LawSamples& samples,
                  std::span<const std::size_t> indices);

/// The errors of a law's logarithms at those samples: measured - law.
Eigen::VectorXd errors_of(const FittedLaw& law, const LawSamples& samples,
                          std::span<const std::size_t> indices);

}  // namespace huddle
