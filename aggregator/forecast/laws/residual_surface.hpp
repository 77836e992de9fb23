#pragma once

#include <cstddef>
#include <vector>

#include "aggregator/forecast/laws/law_samples.hpp"

namespace huddle {

/// How alike neighbours are: the covariance of a Gaussian process on logarithms of the factors.
struct SurfaceShape {
  /// Over which distance in each factor's logarithm values stay alike; above 0.
  Factors reach{1, 1, 1, 1};
  /// Smooth: Matern's covariance of order 3/2; otherwise 1/2, which follows steps.
  bool smooth = false;
  /// Variance of what is particular to single configurations, over that of what neighbours share.
  double noise = 0.01;

  friend bool operator==(const SurfaceShape&, const SurfaceShape&) = default;
};

/// What a law leaves over, between the samples: a Gaussian process with mean 0 (C. Rasmussen and
/// C. Williams, Gaussian Processes for Machine Learning, 2006), of the nearest samples only, so
/// that thousands are no burden. Far from all samples it is 0: the law alone. Thread-safe once
/// made.
class ResidualSurface {
 public:
  /// `residuals` belong to `logs`, the logarithms of factors. Both of one length, 1 at least.
  ResidualSurface(std::vector<Factors> logs, std::vector<double> residuals, SurfaceShape shape);

  [[nodiscard]] double at(const Factors& log) const;

 private:
  std::vector<Factors> logs_;
  std::vector<double> residuals_;
  SurfaceShape shape_;
};

}  // namespace huddle
