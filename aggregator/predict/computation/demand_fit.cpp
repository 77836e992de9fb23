// The demand that explains a curve best.

#include <Eigen/Dense>
#include <algorithm>
#include <limits>

#include "aggregator/predict/computation/demand.hpp"
#include "aggregator/predict/computation/detail/demand_residuals.hpp"

namespace huddle::predict {
namespace {

constexpr int kUnknowns = 4;  // log scale, and the demand
using Unknowns = Eigen::Matrix<double, kUnknowns, 1>;
using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, kUnknowns>;
using Square = Eigen::Matrix<double, kUnknowns, kUnknowns>;
using Covariance = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

DemandParameters demand_of(const Unknowns& at) {
  return {at[1], at[2], at[3]};
}

class Problem {
 public:
  Problem(const ContentionModel& model, const Curve& curve)
      : residuals_(model, curve), mean_(Eigen::Vector3d::Map(model.prior.mean.data())) {
    const Covariance covariance = Covariance::Map(model.prior.covariance.data());
    // L with L L^T = covariance: L^-1 (demand - mean) has independent parts of variance 1.
    whitening_ = covariance.llt().matrixL().solve(Eigen::Matrix3d::Identity());
  }

  [[nodiscard]] Eigen::VectorXd against(const Unknowns& at) const {
    const DemandParameters demand = demand_of(at);
    residuals_.times(demand, times_);
    parts_.clear();
    residuals_.against(demand, at[0], times_, parts_);
    const auto measured = static_cast<Eigen::Index>(parts_.size());
    Eigen::VectorXd all(measured + 3);
    all.head(measured) = Eigen::VectorXd::Map(parts_.data(), measured);
    all.tail(3) = whitening_ * (at.tail<3>() - mean_);
    return all;
  }

  [[nodiscard]] Unknowns with_best_scale(const DemandParameters& demand) const {
    residuals_.times(demand, times_);
    return {residuals_.best_scale(times_), demand[0], demand[1], demand[2]};
  }

  [[nodiscard]] Jacobian jacobian(const Unknowns& at, const Eigen::VectorXd& here) const {
    Jacobian slopes(here.size(), kUnknowns);
    constexpr double kStep = 1e-4;
    for (int i = 0; i < kUnknowns; ++i) {
      Unknowns beside = at;
      beside[i] += kStep;
      slopes.col(i) = (against(beside) - here) / kStep;
    }
    return slopes;
  }

  void keep_residuals(const Unknowns& at, FittedDemand& fitted) const {
    residuals_.times(demand_of(at), fitted.residuals);
    for (double& ratio : fitted.residuals) ratio -= at[0];
    double traffic = 0;
    if (residuals_.events(demand_of(at), at[0], fitted.growth_residuals, traffic))
      fitted.traffic_residuals = {traffic};
  }

 private:
  DemandResiduals residuals_;
  Eigen::Vector3d mean_;
  Eigen::Matrix3d whitening_;
  mutable std::vector<double> times_;
  mutable std::vector<double> parts_;
};

struct Descent {
  Unknowns at = Unknowns::Zero();
  double cost = std::numeric_limits<double>::infinity();
};

// Demands beyond this mean nothing any more, and their exponentials overflow.
Unknowns limited(Unknowns at) {
  constexpr double kFarthest = 12;
  at.tail<3>() = at.tail<3>().cwiseMax(-kFarthest).cwiseMin(kFarthest);
  return at;
}

Descent descend(const Problem& problem, const Unknowns& start) {
  constexpr int kSteps = 30;
  constexpr double kEnough = 1e-6;
  Descent best{limited(start), 0};
  Eigen::VectorXd here = problem.against(best.at);
  best.cost = here.squaredNorm() / 2;
  double damping = 1e-2;
  for (int step = 0; step < kSteps && damping < 1e8; ++step) {
    const Jacobian slopes = problem.jacobian(best.at, here);
    const Square curvature = slopes.transpose() * slopes;
    Square damped = curvature;
    damped.diagonal() += damping * curvature.diagonal().cwiseMax(1e-9);
    const Unknowns move = damped.ldlt().solve(slopes.transpose() * here);
    const Unknowns next = limited(best.at - move);
    const Eigen::VectorXd there = problem.against(next);
    const double cost = there.squaredNorm() / 2;
    if (!(cost < best.cost)) {
      damping *= 8;
      continue;
    }
    const bool settled = best.cost - cost < kEnough * (1 + best.cost);
    best = {next, cost};
    here = there;
    damping /= 6;
    if (settled) break;
  }
  return best;
}

FittedDemand fitted_at(const Problem& problem, const Descent& found) {
  FittedDemand fitted;
  fitted.demand = demand_of(found.at);
  fitted.log_scale = found.at[0];
  fitted.cost = found.cost;
  problem.keep_residuals(found.at, fitted);
  const Jacobian slopes = problem.jacobian(found.at, problem.against(found.at));
  const Square inverse = (slopes.transpose() * slopes + 1e-9 * Square::Identity()).inverse();
  Covariance::Map(fitted.covariance.data()) = inverse.bottomRightCorner<3, 3>();
  return fitted;
}

// Where nothing is known beforehand: compute-bound to memory-bound, latency-bound to
// bandwidth-bound.
std::vector<Unknowns> starts_of(const Problem& problem, const ContentionModel& model) {
  std::vector<Unknowns> starts = {problem.with_best_scale(model.prior.mean)};
  if (model.shape == ContentionShape::kPower) return starts;
  for (const double intensity : {-2.0, 0.5, 2.0})
    for (const double rate : {-1.0, 2.0})
      starts.push_back(problem.with_best_scale({intensity, model.prior.mean[1], rate}));
  return starts;
}

}  // namespace

FittedDemand fit_demand(const ContentionModel& model, const Curve& curve,
                        const std::optional<FittedDemand>& start) {
  const Problem problem(model, curve);
  std::vector<Unknowns> starts;
  if (start)
    starts = {{start->log_scale, start->demand[0], start->demand[1], start->demand[2]}};
  else
    starts = starts_of(problem, model);
  Descent best;
  for (const Unknowns& from : starts)
    if (const Descent found = descend(problem, from); found.cost < best.cost) best = found;
  return fitted_at(problem, best);
}

std::vector<FittedDemand> fit_demand_modes(const ContentionModel& model, const Curve& curve) {
  constexpr double kMuchWorse = 8;  // in cost: less than a thousandth as likely
  constexpr double kSame = 0.1;
  const Problem problem(model, curve);
  std::vector<Descent> found;
  for (const Unknowns& from : starts_of(problem, model)) found.push_back(descend(problem, from));
  std::sort(found.begin(), found.end(),
            [](const Descent& a, const Descent& b) { return a.cost < b.cost; });
  std::vector<Descent> modes;
  for (const Descent& mode : found) {
    const bool seen = std::any_of(modes.begin(), modes.end(), [&](const Descent& other) {
      return (mode.at - other.at).norm() < kSame;
    });
    if (!seen && mode.cost < found.front().cost + kMuchWorse) modes.push_back(mode);
  }
  std::vector<FittedDemand> fitted;
  for (const Descent& mode : modes) fitted.push_back(fitted_at(problem, mode));
  return fitted;
}

DemandPrior usual_demand(ContentionShape shape) {
  if (shape == ContentionShape::kPower)
    return {{0.1, 0.1, 0.05}, {0.04, 0, 0, 0, 0.04, 0, 0, 0, 0.01}};
  return {{-0.5, -1.5, 1}, {4, 0, 0, 0, 2.25, 0, 0, 0, 2.25}};
}

}  // namespace huddle::predict
