#include "aggregator/forecast/laws/residual_surface.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

namespace huddle {
namespace {

using Eigen::Index;

constexpr std::size_t kNeighbours = 40;

double squared_distance(const Factors& a, const Factors& b, const Factors& reach) {
  double sum = 0;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const double steps = (a[factor] - b[factor]) / reach[factor];
    sum += steps * steps;
  }
  return sum;
}

double likeness(double squared_distance, bool smooth) {
  const double distance = std::sqrt(squared_distance);
  if (!smooth) return std::exp(-distance);
  const double scaled = std::sqrt(3.0) * distance;
  return (1 + scaled) * std::exp(-scaled);
}

}  // namespace

ResidualSurface::ResidualSurface(std::vector<Factors> logs, std::vector<double> residuals,
                                 SurfaceShape shape)
    : logs_(std::move(logs)), residuals_(std::move(residuals)), shape_(shape) {}

double ResidualSurface::at(const Factors& log) const {
  std::vector<std::pair<double, std::size_t>> near(logs_.size());
  for (std::size_t i = 0; i < logs_.size(); ++i)
    near[i] = {squared_distance(log, logs_[i], shape_.reach), i};
  if (near.size() > kNeighbours) {
    std::nth_element(near.begin(), near.begin() + kNeighbours, near.end());
    near.resize(kNeighbours);
  }
  const auto count = static_cast<Index>(near.size());
  Eigen::MatrixXd covariance(count, count);
  Eigen::VectorXd with(count);
  Eigen::VectorXd values(count);
  for (Index i = 0; i < count; ++i) {
    const auto [distance, sample] = near[static_cast<std::size_t>(i)];
    with[i] = likeness(distance, shape_.smooth);
    values[i] = residuals_[sample];
    for (Index j = 0; j <= i; ++j) {
      const std::size_t other = near[static_cast<std::size_t>(j)].second;
      covariance(i, j) = covariance(j, i) =
          likeness(squared_distance(logs_[sample], logs_[other], shape_.reach), shape_.smooth);
    }
  }
  covariance.diagonal().array() += shape_.noise;
  return with.dot(covariance.llt().solve(values));
}

}  // namespace huddle
