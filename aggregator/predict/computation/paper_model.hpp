#pragma once

// The paper's model of computation: linear functions for each target pattern and class of IPC.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/computation/regression.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle::predict {

/// The classes of observed IPC that the paper fits apart: [0,1), [1,1.5), [1.5,2), [2,inf).
inline constexpr std::array<double, 4> kIpcClassBegins = {0, 1, 1.5, 2};

/// The class of an IPC, 0 to 3; of a negative one 0.
std::size_t ipc_class_of(double ipc);

/// The independent variables of equations (1) to (3), without the constants, which merge into one:
/// IPC_i for each sample i; IPC_i e_(j,i) for each event j and sample i; e_(j,i) e_(j,k) for each
/// event j and pair i < k; IPC_i IPC_k for each pair. (y and z of equation (2) only multiply IPC_i,
/// so they merge into its coefficient.) `rates[i]` has sample i's events per cycle.
std::vector<double> paper_terms(const std::vector<double>& ipc,
                                const std::vector<std::vector<double>>& rates);

/// One class's fit for one target pattern.
struct PaperFit {
  Pattern target;
  /// Index into kIpcClassBegins; nothing if fitted over all classes.
  std::optional<std::size_t> ipc_class;
  LinearFit fit;
  /// On how many samples.
  std::size_t rows = 0;

  friend bool operator==(const PaperFit&, const PaperFit&) = default;
};

/// The model of task aggregation, section III, for one set of sample patterns: IPC on an untested
/// pattern by regression on IPC and event rates of the samples, equations (1) to (3), a fit for
/// each target and class of IPC. A class with too few samples uses a fit over all classes. Without
/// events, IPC is known up to a factor only (instructions do not change with the pattern): the
/// first sample's is called 1, there are no classes, and times alone are the terms.
struct PaperModel {
  /// Ascending.
  std::vector<Pattern> sample_patterns;
  /// Those that correlate most with the IPC on the targets, best first; empty with times alone.
  std::vector<std::string> events;
  bool with_events = false;
  std::vector<PaperFit> fits;

  /// True if there is a fit for a target.
  [[nodiscard]] bool knows(const Pattern& target) const;

  /// The time on `target` of a phase group that was measured on (at least) the sample patterns:
  /// T_t = T_i IPC_i / IPC_t, geometric mean over the samples. Nothing if the target was not
  /// fitted, a sample or an event is missing, or the prediction is no IPC (not above 0).
  [[nodiscard]] std::optional<Seconds> time_on(const Pattern& target,
                                               const PhaseGroupSamples& group) const;

  friend bool operator==(const PaperModel&, const PaperModel&) = default;
};

struct PaperOptions {
  std::size_t most_events = 3;
  /// Fewer samples in a class of IPC than this, and the class is not fitted on its own.
  std::size_t least_rows = 8;
};

/// Fits it to every pattern that is not among `sample_patterns` and that at least three phase
/// groups were measured on, them and the samples. Programs without events are left out if
/// `with_events`. The result has no fits if there are too few.
PaperModel fit_paper_model(const std::vector<ProgramSamples>& programs,
                           const std::vector<Pattern>& sample_patterns, bool with_events,
                           const PaperOptions& options = {});

}  // namespace huddle::predict
