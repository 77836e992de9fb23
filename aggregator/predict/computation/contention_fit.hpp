#pragma once

// Fitting the shared-resource model of computation to training programs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/demand.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/computation/shared_model.hpp"

namespace huddle::predict {

/// A phase group that a machine is learnt from.
struct TrainingCurve {
  /// The program that it is of: all curves of one are left out together.
  std::string program;
  Curve curve;
};

/// The curves of programs, at most so many: those of groups that take most of their program's time.
std::vector<TrainingCurve> training_curves(const std::vector<ProgramSamples>& programs,
                                           std::size_t most = 96);

struct ContentionFitOptions {
  /// Where the search begins; nothing: at two fixed points.
  std::optional<ContentionModel> start;
  /// Number of machines that are tried from each start.
  std::size_t evaluations = 120;
  /// Clock curve of the machine; that of `start`, where there is one, counts instead.
  ClockCurve clock = {};
};

/// Fits one shape to a machine: the machine's parameters are those under which the programs'
/// demands, each fitted to its whole curve, explain the curves best; the prior is the distribution
/// of these demands; the tolerances are what they leave unexplained. `curves` may be empty (then
/// everything is as usual, and wide).
ContentionModel fit_contention(ContentionShape shape, const std::vector<TrainingCurve>& curves,
                               const ContentionFitOptions& options = {});

}  // namespace huddle::predict
