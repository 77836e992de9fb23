#pragma once

// Leave-one-program-out cross-validation: what models predict for programs that they were not
// fitted to, and the weights and intervals that follow from their errors.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/training.hpp"

namespace huddle::predict {

/// The weights, not negative and of sum 1, under which the weighted mean of several models' errors
/// has the least sum of squares (Breiman's stacked regressions, 1996). `errors[row][model]`, all
/// rows of one length, 1 or more; without rows all weigh the same. A little is added for uneven
/// weights, so that models that err alike share.
std::vector<double> stacking_weights(const std::vector<std::vector<double>>& errors,
                                     std::size_t models);

/// The factor of standard errors under which 90 % of errors not yet seen lie within 1.645 of
/// them (the conformal quantile of `scores`, errors in units of their standard error, not
/// negative). With few scores it is the largest one; without any it is 3, an assumption.
double conformal_widening(std::vector<double> scores);

/// The names of the programs, each once.
std::vector<std::string> names_of(const std::vector<ProgramSamples>& programs);

/// The shapes fitted without each program: by program (as in names_of()), then by shape.
using ShapesByFold = std::vector<std::vector<ContentionModel>>;
ShapesByFold fit_without_each(const std::vector<ProgramSamples>& programs,
                              const std::vector<ContentionModel>& all, std::size_t evaluations,
                              const std::function<void()>& step);

/// Predictions of the shared-resource model for programs left out, whose samples are those on
/// `patterns`.
struct SharedLeftOut {
  ModelErrors errors;
  /// Weights of the shapes, fitted to the errors of all programs.
  std::vector<double> weights;
  double widening = 1;
};
SharedLeftOut predict_shared(const std::vector<ProgramSamples>& programs,
                             const ShapesByFold& shapes, const std::vector<Pattern>& patterns);

/// The same of the paper's model. Programs that it can't predict are not in the errors.
ModelErrors predict_paper(const std::vector<ProgramSamples>& programs,
                          const std::vector<Pattern>& patterns, bool with_events);

}  // namespace huddle::predict
