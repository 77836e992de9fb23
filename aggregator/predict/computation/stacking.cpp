#include "aggregator/predict/computation/stacking.hpp"

#include <algorithm>
#include <cmath>

namespace huddle {
namespace {

// Mean products of errors, with a little on the diagonal.
std::vector<std::vector<double>> products(const std::vector<std::vector<double>>& errors,
                                          std::size_t models) {
  constexpr double kForEvenness = 0.01;
  std::vector<std::vector<double>> mean(models, std::vector<double>(models, 0.0));
  for (const std::vector<double>& row : errors)
    for (std::size_t i = 0; i < models; ++i)
      for (std::size_t k = 0; k < models; ++k)
        mean[i][k] += row[i] * row[k] / static_cast<double>(errors.size());
  double least = mean[0][0];
  for (std::size_t i = 1; i < models; ++i) least = std::min(least, mean[i][i]);
  for (std::size_t i = 0; i < models; ++i) mean[i][i] += kForEvenness * least + 1e-12;
  return mean;
}

}  // namespace

std::vector<double> stacking_weights(const std::vector<std::vector<double>>& errors,
                                     std::size_t models) {
  std::vector<double> weights(models, 1.0 / static_cast<double>(models));
  if (errors.empty()) return weights;
  const auto mean = products(errors, models);
  const auto slope = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < models; ++k) sum += mean[i][k] * weights[k];
    return sum;
  };
  // Weight moves between two models at a time, as much as is best; the problem is convex.
  constexpr int kSweeps = 300;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t i = 0; i < models; ++i)
      for (std::size_t k = i + 1; k < models; ++k) {
        const double curvature = mean[i][i] + mean[k][k] - 2 * mean[i][k];
        if (!(curvature > 0)) continue;
        const double move = std::clamp((slope(k) - slope(i)) / curvature, -weights[i], weights[k]);
        weights[i] += move;
        weights[k] -= move;
      }
  for (double& weight : weights)
    if (weight < 1e-3) weight = 0;
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

double conformal_widening(std::vector<double> scores) {
  constexpr double kUnknown = 3;
  constexpr double kCovered = 0.9;
  if (scores.empty()) return kUnknown;
  std::sort(scores.begin(), scores.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(kCovered * (static_cast<double>(scores.size()) + 1)));
  return scores[std::min(rank, scores.size()) - 1] / kNinetyPercent;
}

}  // namespace huddle
