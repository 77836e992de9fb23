#include "aggregator/predict/communication/communication_estimate.hpp"

#include <algorithm>
#include <cmath>

namespace huddle::predict {
namespace {

// A sample, over its computation.
struct Point {
  double bound = 0;
  double in_mpi = 0;
};

// The slope of the line through the first point that misses the others least; of the one through
// the origin where bounds hardly differ.
double fitted_share(const Point& first, const std::vector<Point>& points) {
  double covariance = 0;
  double variance = 0;
  for (const Point& point : points) {
    const double apart = point.bound - first.bound;
    covariance += apart * (point.in_mpi - first.in_mpi);
    variance += apart * apart;
  }
  constexpr double kLeastSpread = 0.05;
  if (variance <= kLeastSpread * kLeastSpread * first.bound * first.bound)
    return first.bound > 0 ? first.in_mpi / first.bound : 1;
  return covariance / variance;
}

}  // namespace

CommunicationEstimate::CommunicationEstimate(const std::vector<CommunicationSample>& samples) {
  if (samples.empty()) return;
  relative_ = std::all_of(samples.begin(), samples.end(), [](const CommunicationSample& sample) {
    return sample.computation > Seconds{0};
  });
  const auto point_of = [&](const CommunicationSample& sample) {
    const double unit = relative_ ? sample.computation.value : 1;
    return Point{sample.bound.value / unit, sample.in_mpi.value / unit};
  };
  const Point first = point_of(samples[0]);
  std::vector<Point> points;
  for (const CommunicationSample& sample : samples) points.push_back(point_of(sample));
  share_ = std::clamp(fitted_share(first, points), 0.0, 1.0);
  waiting_ = first.in_mpi - share_ * first.bound;
  if (waiting_ < 0) {  // the line would begin below 0: there was overlap instead
    waiting_ = 0;
    share_ = first.in_mpi / first.bound;
  }
  if (points.size() < 2) return;
  double squares = 0;
  for (const Point& point : points) {
    const double estimated = waiting_ + share_ * point.bound;
    if (estimated > 0) squares += std::pow(point.in_mpi / estimated - 1, 2);
  }
  const double missed = std::sqrt(squares / static_cast<double>(points.size() - 1));
  relative_error_ = std::clamp(missed, kLeast, 1.0);
}

}  // namespace huddle::predict
