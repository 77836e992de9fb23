#pragma once

// Internal to training: what models say of programs that they were not fitted to.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/training.hpp"

namespace huddle {

/// The names of the programs, each once.
std::vector<std::string> names_of(const std::vector<ProgramSamples>& programs);

/// The shapes fitted without each program: by program (as in names_of()), then by shape.
using ShapesByFold = std::vector<std::vector<ContentionModel>>;
ShapesByFold fit_without_each(const std::vector<ProgramSamples>& programs,
                              const std::vector<ContentionModel>& all, std::size_t evaluations,
                              const std::function<void()>& step);

/// What the shared-resource model makes of programs left out, whose samples are those on
/// `patterns`.
struct SharedLeftOut {
  ModelErrors errors;
  /// From all programs.
  std::vector<double> weights;
  double widening = 1;
};
SharedLeftOut predict_shared(const std::vector<ProgramSamples>& programs,
                             const ShapesByFold& shapes, const std::vector<Pattern>& patterns);

/// The same of the paper's model. Programs that it can't predict are not in the errors.
ModelErrors predict_paper(const std::vector<ProgramSamples>& programs,
                          const std::vector<Pattern>& patterns, bool with_events);

}  // namespace huddle
