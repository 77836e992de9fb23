#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/factors.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/laws/left_out_folds.hpp"

namespace huddle {

/// Errors of a model at what was left out one way.
struct LeftOutErrors {
  /// measured / predicted as natural logarithms, one for each measurement.
  std::vector<double> errors;
  /// By error: how far beyond what stayed it lay, as the factor's logarithm; 0 if between.
  std::vector<double> distances;
  /// How many different values, or configurations, were left out: errors of one are alike.
  std::size_t groups = 0;
};

/// Errors by the factor whose values were left out; between also of single configurations.
struct ErrorsByFactor {
  std::array<LeftOutErrors, kFactors + 1> between;
  std::array<LeftOutErrors, kFactors> above;
  std::array<LeftOutErrors, kFactors> below;
};

/// Sorts errors by where they were made: `errors[f][i]` is measured over predicted, as a logarithm,
/// of sample left_out[i] of fold f. Each becomes one error for each of the sample's measurements.
ErrorsByFactor by_factor(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                         const std::vector<std::vector<double>>& errors);

/// Errors of each measurement at what was fitted to; `residuals` by sample. They are made larger by
/// the degrees of freedom, as a model that can go through `freedom` samples follows their noise. If
/// there are no more than those, only samples that were measured several times tell, and maybe
/// none.
LeftOutErrors fitted_errors(const LawSamples& samples, const std::vector<double>& residuals,
                            std::size_t freedom);

/// The median of |predicted / measured - 1|, between and above; NaN if there are no errors.
double median_error(const ErrorsByFactor& errors);

/// Half the width of an interval on logarithms that holds 9 of 10 values predicted between measured
/// ones: the 90 % quantile of the errors' sizes with the correction for a finite sample (split
/// conformal prediction), more if few groups were left out. Precondition: there are errors.
double width_between(const LeftOutErrors& errors);

/// How much of that is added for each unit of distance beyond, so that errors beyond fit in: the
/// 90 % quantile of what they exceed `width` by over their distance. Precondition: there are
/// errors.
double growth_beyond(const LeftOutErrors& errors, double width);

/// By how many times an interval from `groups` groups must be wider than from many: Student's
/// quantile over the normal one.
double few_groups_factor(std::size_t groups);

}  // namespace huddle
