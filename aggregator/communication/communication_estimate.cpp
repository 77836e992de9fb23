#include "aggregator/communication/communication_estimate.hpp"

#include <algorithm>

namespace huddle {
namespace {

// A sample, over its computation.
struct Point {
  double bound = 0;
  double in_mpi = 0;
};

Point mean_of(const std::vector<Point>& points) {
  Point mean;
  for (const Point& point : points) {
    mean.bound += point.bound / static_cast<double>(points.size());
    mean.in_mpi += point.in_mpi / static_cast<double>(points.size());
  }
  return mean;
}

// The slope of the least-squares line; of the one through the origin where bounds hardly differ.
double fitted_share(const std::vector<Point>& points, const Point& mean) {
  double covariance = 0;
  double variance = 0;
  for (const Point& point : points) {
    const double apart = point.bound - mean.bound;
    covariance += apart * (point.in_mpi - mean.in_mpi);
    variance += apart * apart;
  }
  constexpr double kLeastSpread = 0.05;
  if (variance <= kLeastSpread * kLeastSpread * mean.bound * mean.bound)
    return mean.bound > 0 ? mean.in_mpi / mean.bound : 1;
  return covariance / variance;
}

}  // namespace

CommunicationEstimate::CommunicationEstimate(const std::vector<CommunicationSample>& samples) {
  if (samples.empty()) return;
  relative_ = std::all_of(samples.begin(), samples.end(), [](const CommunicationSample& sample) {
    return sample.computation > Seconds{0};
  });
  std::vector<Point> points;
  for (const CommunicationSample& sample : samples) {
    const double unit = relative_ ? sample.computation.value : 1;
    points.push_back({sample.bound.value / unit, sample.in_mpi.value / unit});
  }
  const Point mean = mean_of(points);
  share_ = std::clamp(fitted_share(points, mean), 0.0, 1.0);
  // The line through the means; where it would begin below 0, there was overlap instead.
  waiting_ = mean.in_mpi - share_ * mean.bound;
  if (waiting_ >= 0) return;
  waiting_ = 0;
  share_ = std::clamp(mean.in_mpi / mean.bound, 0.0, 1.0);
}

}  // namespace huddle
