#pragma once

// The shared-resource model of computation: ranks slow each other down where they share caches and
// memory. Applied to the samples of one program; contention_fit.hpp fits it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aggregator/predict/computation/demand.hpp"
#include "aggregator/predict/computation/samples.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle::predict {

/// True if misses of the last cache were counted anywhere in the program. A counter that never
/// counts is none: some virtual machines have such.
bool counts_misses(const ProgramSamples& program);

/// The curve of a phase group: what the shared-resource model sees of it. `counter_counts`:
/// counts_misses() of its program; then a group without any had less than one, else nothing is
/// known.
Curve curve_of(const PhaseGroupSamples& group, bool counter_counts);

/// The shared-resource model of a machine: every shape, and how far each is trusted.
struct SharedModel {
  std::vector<ContentionModel> shapes;
  /// Weights of the shapes, not negative, sum 1.
  std::vector<double> weights;
  /// The factor for the standard error of a prediction, so that programs left out of training lie
  /// within it as often as they should.
  double widening = 1;

  friend bool operator==(const SharedModel&, const SharedModel&) = default;
};

/// Half the width of an interval of 90 %, in standard errors: the quantile of the normal
/// distribution that leaves 5 % on each side.
inline constexpr double kNinetyPercent = 1.645;

/// A predicted time with its standard error as a share of it.
struct PredictedTime {
  Seconds time;
  double relative_error = 0;
};

/// The shared-resource model applied to one program. Made once for its samples; on() may be
/// called by several threads.
class SharedPrediction {
 public:
  /// `samples` has one group and one pattern or more; its events are used if it has any.
  SharedPrediction(const SharedModel& model, const ProgramSamples& samples);

  /// For ranks that share so, whether those of a training program did or not.
  [[nodiscard]] PredictedTime on(const Sharing& sharing) const;
  /// The prediction of a single shape, without widening.
  [[nodiscard]] PredictedTime by_shape(std::size_t shape, const Sharing& sharing) const;
  /// At a frequency `core_slowdown` times lower than the samples'.
  [[nodiscard]] Stretch stretch(const Sharing& sharing, double core_slowdown) const;
  /// DemandPosterior's figures, mean over the shapes, of the group where they are worst.
  [[nodiscard]] double misfit() const;
  [[nodiscard]] double unexplained() const;

 private:
  [[nodiscard]] Stretch stretch_by_shape(std::size_t shape, const Sharing& sharing,
                                         double core_slowdown) const;
  [[nodiscard]] double worst_group(double (DemandPosterior::*figure)() const) const;

  SharedModel model_;
  double doubt_ = 1;
  std::vector<std::vector<DemandPosterior>> groups_;  // by group and shape
};

/// The shared-resource model of a machine without training: every mechanism of contention counts
/// alike, and programs may demand whatever programs do. With `streams` (Machine::memory_streams),
/// the share of a die's, a package's and a node's bandwidth that one rank can take is as measured
/// by them; without, it is one of several that nodes have, and predictions are less certain.
/// `clock`: as counted; one that is not known may be steady or fall. `numa_nodes`: how many NUMA
/// nodes share a package's bandwidth evenly, if dies belong to them.
SharedModel usual_contention(std::span<const MemoryStream> streams, const ClockCurve& clock = {},
                             std::uint32_t numa_nodes = 0);

}  // namespace huddle::predict
