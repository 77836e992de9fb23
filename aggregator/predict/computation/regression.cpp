#include "aggregator/predict/computation/regression.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr std::array<double, 9> kStrengths = {0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};
constexpr double kMiddlingStrength = 0.1;

struct Matrices {
  Eigen::MatrixXd terms;
  Eigen::VectorXd targets;
};

// The rows whose fold is (or is not) `fold`.
Matrices rows_of(const RegressionData& data, std::size_t fold, bool inside) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    if ((data.folds[i] == fold) == inside) rows.push_back(i);
  const auto columns = static_cast<Eigen::Index>(data.terms.front().size());
  Matrices part{{static_cast<Eigen::Index>(rows.size()), columns},
                Eigen::VectorXd(static_cast<Eigen::Index>(rows.size()))};
  for (Eigen::Index i = 0; i < part.targets.size(); ++i) {
    const std::size_t row = rows[static_cast<std::size_t>(i)];
    part.terms.row(i) = Eigen::VectorXd::Map(data.terms[row].data(), columns).transpose();
    part.targets[i] = data.targets[row];
  }
  return part;
}

LinearFit fit_rows(const Matrices& rows, double strength) {
  const auto n = static_cast<double>(rows.targets.size());
  const Eigen::VectorXd means = rows.terms.colwise().mean().transpose();
  Eigen::MatrixXd centred = rows.terms.rowwise() - means.transpose();
  Eigen::VectorXd spreads = (centred.colwise().squaredNorm() / n).cwiseSqrt().transpose();
  for (Eigen::Index i = 0; i < spreads.size(); ++i) {
    const bool varies = spreads[i] > 1e-12 * std::abs(means[i]);
    if (!varies) centred.col(i).setZero();
    spreads[i] = varies ? spreads[i] : 1;
    centred.col(i) /= spreads[i];
  }
  const double mean_target = rows.targets.mean();
  const Eigen::VectorXd targets = rows.targets.array() - mean_target;
  Eigen::VectorXd slopes;
  if (strength > 0) {
    Eigen::MatrixXd normal = centred.transpose() * centred;
    normal.diagonal().array() += strength * n;
    slopes = normal.ldlt().solve(centred.transpose() * targets);
  } else {
    slopes = centred.completeOrthogonalDecomposition().solve(targets);
  }
  slopes = slopes.cwiseQuotient(spreads);
  LinearFit fit;
  fit.coefficients.assign(slopes.data(), slopes.data() + slopes.size());
  fit.constant = mean_target - slopes.dot(means);
  fit.strength = strength;
  return fit;
}

double left_out_error(const RegressionData& data, const std::set<std::size_t>& folds,
                      double strength) {
  double squares = 0;
  for (const std::size_t fold : folds) {
    const LinearFit fit = fit_rows(rows_of(data, fold, false), strength);
    for (std::size_t i = 0; i < data.targets.size(); ++i)
      if (data.folds[i] == fold) squares += std::pow(fit.at(data.terms[i]) - data.targets[i], 2);
  }
  return std::sqrt(squares / static_cast<double>(data.targets.size()));
}

void check(const RegressionData& data) {
  if (data.targets.empty()) throw UsageError("a regression needs samples, and there are none");
}

}  // namespace

double LinearFit::at(const std::vector<double>& terms) const {
  double sum = constant;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * terms[i];
  return sum;
}

LinearFit fit_linear(const RegressionData& data, double strength) {
  check(data);
  return fit_rows(rows_of(data, std::numeric_limits<std::size_t>::max(), false), strength);
}

LinearFit fit_linear(const RegressionData& data) {
  check(data);
  const std::set<std::size_t> folds(data.folds.begin(), data.folds.end());
  if (folds.size() < 2) {
    LinearFit fit = fit_linear(data, kMiddlingStrength);
    fit.left_out_error = std::numeric_limits<double>::quiet_NaN();
    return fit;
  }
  std::size_t largest_fold = 0;
  for (const std::size_t fold : folds)
    largest_fold = std::max<std::size_t>(
        largest_fold,
        static_cast<std::size_t>(std::count(data.folds.begin(), data.folds.end(), fold)));
  const bool enough = data.targets.size() - largest_fold > data.terms.front().size() + 1;
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const double strength : kStrengths) {
    if (strength == 0 && !enough) continue;
    const double error = left_out_error(data, folds, strength);
    if (error < least) {
      least = error;
      best = strength;
    }
  }
  LinearFit fit = fit_linear(data, best);
  fit.left_out_error = least;
  return fit;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto size = static_cast<Eigen::Index>(a.size());
  if (size == 0) return 0;
  const Eigen::VectorXd x = Eigen::VectorXd::Map(a.data(), size);
  const Eigen::VectorXd y = Eigen::VectorXd::Map(b.data(), size);
  const Eigen::VectorXd from_x = x.array() - x.mean();
  const Eigen::VectorXd from_y = y.array() - y.mean();
  const double spread = from_x.norm() * from_y.norm();
  return spread > 0 ? from_x.dot(from_y) / spread : 0;
}

}  // namespace huddle::predict
