#pragma once

// One program's demand of caches and memory: fitted to its curve of times over patterns, or as a
// posterior distribution where few samples leave much open.

#include <array>
#include <optional>
#include <vector>

#include "aggregator/predict/computation/clock_curve.hpp"
#include "aggregator/predict/computation/contention.hpp"
#include "aggregator/predict/pattern/placement.hpp"

namespace huddle::predict {

/// One sample of a curve: how long a phase group takes for ranks that share so.
struct CurvePoint {
  Sharing sharing;
  /// Log of the time in seconds.
  double log_time = 0;
  /// Standard error of `log_time`.
  double error = 0;
  /// Log of the misses of the last cache, mean over the ranks; nothing if they were not counted.
  std::optional<double> log_misses;
};
using Curve = std::vector<CurvePoint>;

/// A normal distribution over what programs demand.
struct DemandPrior {
  DemandParameters mean{};
  /// Row by row; positive definite.
  std::array<double, kDemandParameters * kDemandParameters> covariance{};

  friend bool operator==(const DemandPrior&, const DemandPrior&) = default;
};

/// Returns the demand that is assumed of programs before any was seen: wide.
DemandPrior usual_demand(ContentionShape shape);

/// Distances that observations may lie from the model.
struct Tolerances {
  /// Tolerance of log times, beyond their own error: for what the shape can't express.
  double time = 0.005;
  /// Tolerance of the growth of misses with sharing, in log.
  double growth = 0.05;
  /// Tolerance of the bandwidth that misses stand for, in log.
  double traffic = 0.3;

  friend bool operator==(const Tolerances&, const Tolerances&) = default;
};

/// A shape with the machine's parameters: what a curve is explained by.
struct ContentionModel {
  ContentionShape shape = ContentionShape::kSerial;
  MachineParameters machine = usual_machine();
  DemandPrior prior;
  Tolerances tolerances;
  ClockCurve clock = {};

  friend bool operator==(const ContentionModel&, const ContentionModel&) = default;
};

/// The demand that explains a whole curve best.
struct FittedDemand {
  DemandParameters demand{};
  /// Log of the computing time (for kPower: of the time alone), in s.
  double log_scale = 0;
  /// Half the sum of squared residuals in units of their errors, the prior's included.
  double cost = 0;
  /// Covariance of `demand`, from the curvature there; row by row.
  std::array<double, kDemandParameters * kDemandParameters> covariance{};
  /// Log of measured over modelled time, by point.
  std::vector<double> residuals;
  /// The same of the growth of misses, by point with misses, and of the bandwidth that they stand
  /// for, one number; both empty without misses (and for kPower).
  std::vector<double> growth_residuals;
  std::vector<double> traffic_residuals;
};

/// Finds it by damped least squares (Levenberg-Marquardt) from `start`, or else from some fixed
/// points. `curve` has one point or more.
FittedDemand fit_demand(const ContentionModel& model, const Curve& curve,
                        const std::optional<FittedDemand>& start = {});

/// The same from every start: the different demands that explain a curve about equally well, best
/// first, none of them much worse than the first one.
std::vector<FittedDemand> fit_demand_modes(const ContentionModel& model, const Curve& curve);

/// A prediction of log time.
struct LogTime {
  double mean = 0;
  /// Variance by what the samples leave open about the program, and by what the shape can't
  /// express.
  double variance = 0;
};

/// A time, and the effect of a lower frequency on it.
struct StretchedTime {
  /// At the samples' frequency, in s: by a part of the draws, for weighing groups only.
  double time = 0;
  Stretch stretch;
};

/// The demands that samples on a few patterns leave possible, with weights, drawn from the prior
/// and weighed by how well they explain the samples (importance sampling around the best
/// explanations, then once more around what was found; the draws are quasi-random and always the
/// same). Demands that explain the samples alike and differ elsewhere all keep their weight, so
/// that few samples give a wide prediction.
class DemandPosterior {
 public:
  /// `samples` has one point or more.
  DemandPosterior(const ContentionModel& model, const Curve& samples);

  [[nodiscard]] LogTime on(const Sharing& sharing) const;

  /// At a frequency `core_slowdown` times lower than the samples'.
  [[nodiscard]] StretchedTime stretch(const Sharing& sharing, double core_slowdown) const;

  /// The misfit of the best demand to the samples, in units of their error and of how programs
  /// differ: well above 1 if no usual program behaves so.
  [[nodiscard]] double misfit() const { return misfit_; }
  /// Root mean square of the log times that the best demand leaves unexplained.
  [[nodiscard]] double unexplained() const { return unexplained_; }

 private:
  struct Draw {
    DemandParameters demand{};
    double log_scale = 0;
    double weight = 0;
  };

  ContentionModel model_;
  /// Heaviest first.
  std::vector<Draw> draws_;
  double scale_variance_ = 0;
  double misfit_ = 0;
  double unexplained_ = 0;
};

}  // namespace huddle::predict
