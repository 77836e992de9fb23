#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/scaling/fitted_law.hpp"
#include "aggregator/scaling/left_out_errors.hpp"
#include "aggregator/scaling/left_out_folds.hpp"
#include "aggregator/scaling/residual_surface.hpp"

namespace huddle {

/// What a choice of a law may cost.
struct LawEffort {
  /// Configurations that forms are compared on, and the final law is fitted to, at most.
  std::size_t configurations = 300;
  /// Whether to look for a surface over the residuals where that may help.
  bool surface = true;
};

/// The form that foretells best what is left out.
struct LawChoice {
  LawForm form;
  /// With a surface over what the law leaves, if that is better still.
  std::optional<SurfaceShape> surface;
  /// By factor that was left out, kFactors: single configurations. Beyond upwards, then downwards.
  std::array<LeftOutErrors, kFactors + 1> errors;
  std::array<LeftOutErrors, kFactors> below;
  /// Median relative error of what was left out; NaN if nothing could be.
  double median_error = 0;
};

/// Chooses among forms_for(samples) by `folds`, those of the factors in `about` if any are.
LawChoice choose_law(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                     const LawEffort& effort);

}  // namespace huddle
