#include "aggregator/forecast/forest/linear_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace huddle::forecast {
namespace {

// A feature whose spread is less than this share of its mean is constant but for rounding.
constexpr double kConstant = 1e-12;
// Share of a feature that must be left beside the others for it to count as independent of them.
constexpr double kIndependent = 1e-10;

struct Standardised {
  Eigen::MatrixXd features;
  std::vector<double> means;
  std::vector<double> spreads;  // 1 for a constant one, whose column is 0
};

double gather(std::span<const double> from, std::span<const std::uint32_t> rows,
              Eigen::Ref<Eigen::VectorXd> into) {
  for (std::size_t i = 0; i < rows.size(); ++i) into[static_cast<Eigen::Index>(i)] = from[rows[i]];
  const double mean = into.mean();
  into.array() -= mean;
  return mean;
}

Standardised standardised(const FeatureMatrix& features, std::span<const std::uint32_t> rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Standardised out;
  out.features.resize(count, static_cast<Eigen::Index>(features.features()));
  for (std::size_t f = 0; f < features.features(); ++f) {
    auto column = out.features.col(static_cast<Eigen::Index>(f));
    const double mean = gather(features.feature(f), rows, column);
    const double spread = column.stableNorm() / std::sqrt(static_cast<double>(count));
    const bool varies = spread > kConstant * std::abs(mean);
    if (varies)
      column /= spread;
    else
      column.setZero();
    out.means.push_back(mean);
    out.spreads.push_back(varies ? spread : 1);
  }
  return out;
}

}  // namespace

double r_squared(std::span<const double> measured, std::span<const double> predicted) {
  double mean = 0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    mean += (measured[i] - mean) / static_cast<double>(i + 1);
  double largest = 0;
  for (const double value : measured) largest = std::max(largest, std::abs(value - mean));
  // Squares of values below 1e-154 or above 1e154 would be 0 or infinite. A power of 2 changes
  // no digit.
  const double scale = std::isnormal(largest) ? std::ldexp(1, std::ilogb(largest)) : 1;
  double missed = 0;
  double varied = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const double miss = (measured[i] - predicted[i]) / scale;
    const double deviation = (measured[i] - mean) / scale;
    missed += miss * miss;
    varied += deviation * deviation;
  }
  return varied > 0 ? 1 - missed / varied : std::numeric_limits<double>::quiet_NaN();
}

LinearModel LinearModel::fit(const FeatureMatrix& features, std::span<const double> values,
                             std::span<const std::uint32_t> rows) {
  const Standardised x = standardised(features, rows);
  Eigen::VectorXd y(static_cast<Eigen::Index>(rows.size()));
  LinearModel model;
  model.constant = gather(values, rows, y);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors;
  factors.setThreshold(kIndependent);
  factors.compute(x.features);
  const Eigen::VectorXd slopes = factors.solve(y);
  for (std::size_t f = 0; f < features.features(); ++f) {
    const double slope = slopes[static_cast<Eigen::Index>(f)] / x.spreads[f];
    model.coefficients.push_back(slope);
    model.constant -= slope * x.means[f];
  }
  return model;
}

std::vector<double> LinearModel::predict(const FeatureMatrix& features,
                                         std::span<const std::uint32_t> rows) const {
  std::vector<double> values(rows.size(), constant);
  for (std::size_t f = 0; f < coefficients.size(); ++f) {
    const std::span<const double> column = features.feature(f);
    for (std::size_t i = 0; i < rows.size(); ++i) values[i] += coefficients[f] * column[rows[i]];
  }
  return values;
}

}  // namespace huddle::forecast
