#pragma once

// Residuals of measurements against a demand, for least squares and for likelihoods.

#include <cmath>
#include <vector>

#include "aggregator/predict/computation/demand.hpp"

namespace huddle::predict {

/// Distances of a demand from what was measured. For one thread at a time.
class DemandResiduals {
 public:
  DemandResiduals(const ContentionModel& model, const Curve& curve);

  /// Log of measured over modelled time (without scale), by point, into `times`.
  void times(const DemandParameters& demand, std::vector<double>& times) const;
  /// The scale that fits `times` best.
  [[nodiscard]] double best_scale(const std::vector<double>& times) const;
  /// Appends what times and events say against `demand` at this scale.
  void against(const DemandParameters& demand, double log_scale, const std::vector<double>& times,
               std::vector<double>& residuals) const;
  /// Computes the residuals of misses against `demand`, in logs. False if there are none, or the
  /// shape knows no misses.
  [[nodiscard]] bool events(const DemandParameters& demand, double log_scale,
                            std::vector<double>& growth, double& traffic) const;
  /// Standard error of a point's log time, the shape's own included.
  [[nodiscard]] double error(std::size_t point) const { return errors_[point]; }
  /// Variance of best_scale().
  [[nodiscard]] double scale_variance() const { return 1 / total_weight_; }

 private:
  const ContentionModel& model_;
  const Curve& curve_;
  std::vector<Sharing> sharing_;
  std::vector<double> clock_;  // how many times lower than that of a core alone, by point
  std::vector<double> errors_;
  double total_weight_ = 0;
  double counted_ = 0;
  mutable std::vector<double> growth_;
};

}  // namespace huddle::predict
