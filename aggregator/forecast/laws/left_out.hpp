#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle::forecast {

/// Purpose of a model: it is judged by what it predicts of values left out in that way.
enum class LeftOut : unsigned char {
  between,  ///< values of a factor between others: interpolation
  beyond,   ///< the largest (or smallest) values of a factor: extrapolation
};

/// Samples that are left out together, and those that a model is fitted to instead.
struct LeftOutFold {
  /// The factor whose values are left out as a whole; kFactors: single configurations.
  std::size_t factor = kFactors;
  /// True if the values are the largest of that factor; the smallest if `below`.
  bool beyond = false;
  bool below = false;
  /// Indices of the samples, ascending: what is fitted to, and what is left out.
  std::vector<std::size_t> training;
  std::vector<std::size_t> left_out;
};

/// The folds for a purpose. `between`: whole values of each factor that has values on both sides,
/// and, where several factors vary, single configurations too. `beyond`: the largest, the two
/// largest, ... values of each factor, as long as two stay (and, marked `below`, the smallest).
/// Empty if there are too few values.
std::vector<LeftOutFold> folds_of(const LawSamples& samples, LeftOut purpose);

/// Errors of a model at what was left out one way.
struct LeftOutErrors {
  /// measured / predicted as natural logarithms, one for each measurement.
  std::vector<double> errors;
  /// Indexed by error: how far beyond what stayed it lay, as the factor's logarithm; 0 if between.
  std::vector<double> distances;
  /// Number of different values, or configurations, that were left out: errors of one are alike.
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

/// Errors of each measurement at what was fitted to; `residuals` by sample. They are scaled up for
/// the degrees of freedom, since a model that can go through `freedom` samples follows their noise.
/// With no more samples than those, only the ones that were measured several times count; there may
/// be none.
LeftOutErrors fitted_errors(const LawSamples& samples, const std::vector<double>& residuals,
                            std::size_t freedom);

/// Half the width of an interval on logarithms that holds 9 of 10 values predicted between measured
/// ones: the 90 % quantile of the errors' sizes with the correction for a finite sample (split
/// conformal prediction), more if few groups were left out. Precondition: there are errors.
double width_between(const LeftOutErrors& errors);

/// Growth of that for each unit of distance beyond, so that errors beyond fit in: the
/// 90 % quantile of what they exceed `width` by over their distance. Precondition: there are
/// errors.
double growth_beyond(const LeftOutErrors& errors, double width);

/// Factor that an interval from `groups` groups must be wider by than from many: Student's
/// quantile over the normal one.
double few_groups_factor(std::size_t groups);

}  // namespace huddle::forecast
