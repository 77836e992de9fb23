#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "aggregator/forecast/laws/fitted_law.hpp"
#include "aggregator/forecast/laws/left_out_errors.hpp"
#include "aggregator/forecast/laws/left_out_folds.hpp"
#include "aggregator/forecast/laws/residual_surface.hpp"

namespace huddle {

/// A form that may be the right one as well.
struct RivalForm {
  LawForm form;
  /// How likely it is the right one; those of all rivals add up to 1.
  double weight = 0;
};

/// The form that predicts best what is left out.
struct LawChoice {
  LawForm form;
  /// The form itself first, and others that what was left out does not rule out. Empty if nothing
  /// could be left out.
  std::vector<RivalForm> rivals;
  /// With a surface over what the law leaves, if that is better still.
  std::optional<SurfaceShape> surface;
  ErrorsByFactor errors;
};

/// The typical size of errors: the mean of all but the largest tenth, which may be outliers of the
/// measurement, averaged over the factors that were left out, upwards only. `errors` as in
/// by_factor(). Infinite if there are none.
double score_of(const std::vector<LeftOutFold>& folds,
                const std::vector<std::vector<double>>& errors);

/// The folds for a purpose that are about one of these factors, and those of single configurations;
/// all folds if there are none.
std::vector<LeftOutFold> folds_about(const LawSamples& samples, LeftOut purpose,
                                     const std::array<bool, kFactors>& about);

/// Chooses among forms_for(samples) by what they predict of each fold; the simplest if there are
/// none. `surface`: whether to look for a surface over the residuals where that may help.
LawChoice choose_law(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                     bool surface);

}  // namespace huddle
