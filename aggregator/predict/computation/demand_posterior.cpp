// The posterior distribution of a program's demand after samples on a few patterns.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "aggregator/predict/computation/demand.hpp"
#include "aggregator/predict/computation/detail/demand_residuals.hpp"

namespace huddle::predict {
namespace {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix3d;
using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr std::size_t kDraws = 2000;  // in each round
constexpr std::size_t kRounds = 3;
constexpr std::size_t kKept = 800;
constexpr double kFromPrior = 0.2;

// Halton's sequence in one dimension, from 1.
double radical_inverse(std::size_t index, std::size_t base) {
  double value = 0;
  double digit = 1;
  for (; index > 0; index /= base) {
    digit /= static_cast<double>(base);
    value += digit * static_cast<double>(index % base);
  }
  return value;
}

// The quantile of the normal distribution: Newton's steps on erfc from a rough start.
double normal_quantile(double share) {
  double x = 0;
  for (int i = 0; i < 60; ++i) {
    const double cdf = 0.5 * std::erfc(-x / std::sqrt(2.0));
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
    const double step = std::clamp((cdf - share) / density, -0.5, 0.5);
    x -= step;
    if (std::abs(step) < 1e-10) break;
  }
  return x;
}

const std::vector<Vector>& normal_draws() {
  static const std::vector<Vector> draws = [] {
    std::vector<Vector> made;
    for (std::size_t i = 1; i <= kDraws * kRounds; ++i)
      made.emplace_back(normal_quantile(radical_inverse(i, 2)),
                        normal_quantile(radical_inverse(i, 3)),
                        normal_quantile(radical_inverse(i, 5)));
    return made;
  }();
  return draws;
}

struct Normal {
  Vector mean = Vector::Zero();
  Matrix root = Matrix::Identity();  // lower triangle, root * root^T is the covariance

  Normal(const Vector& centre, const Matrix& covariance)
      : mean(centre), root(covariance.llt().matrixL()) {}

  [[nodiscard]] double log_density(const Vector& at) const {
    const Vector white = root.triangularView<Eigen::Lower>().solve(at - mean);
    return -white.squaredNorm() / 2 - root.diagonal().array().log().sum();
  }
};

// The distribution that is drawn from: the prior, so that no weight explodes, and others, equally.
class Proposal {
 public:
  Proposal(const Normal& prior, std::vector<Normal> others)
      : prior_(prior), others_(std::move(others)) {}

  // In blocks: a block of a quasi-random sequence is spread evenly, every n-th element is not.
  [[nodiscard]] const Normal& part_for(std::size_t draw) const {
    constexpr auto kOfPrior = static_cast<std::size_t>(kFromPrior * kDraws);
    if (draw < kOfPrior) return prior_;
    return others_[(draw - kOfPrior) * others_.size() / (kDraws - kOfPrior)];
  }

  [[nodiscard]] double log_density(const Vector& at) const {
    std::vector<double> logs = {std::log(kFromPrior) + prior_.log_density(at)};
    const double share = (1 - kFromPrior) / static_cast<double>(others_.size());
    for (const Normal& other : others_) logs.push_back(std::log(share) + other.log_density(at));
    const double largest = *std::max_element(logs.begin(), logs.end());
    double sum = 0;
    for (const double log : logs) sum += std::exp(log - largest);
    return largest + std::log(sum);
  }

 private:
  const Normal& prior_;
  std::vector<Normal> others_;
};

struct Weighed {
  Vector at = Vector::Zero();
  double log_scale = 0;
  double log_weight = 0;
};

// Draws, and what they say together.
class Draws {
 public:
  Draws(const ContentionModel& model, const Curve& samples)
      : residuals_(model, samples),
        prior_(Vector::Map(model.prior.mean.data()), RowMajor::Map(model.prior.covariance.data())) {
    const std::vector<FittedDemand> found = fit_demand_modes(model, samples);
    best_ = found.front();
    std::vector<Normal> modes;
    for (const FittedDemand& mode : found)
      modes.emplace_back(
          Vector::Map(mode.demand.data()),
          kWider * RowMajor::Map(mode.covariance.data()) + 1e-8 * Matrix::Identity());
    draw(Proposal(prior_, std::move(modes)), 0);
    for (std::size_t i = 1; i < kRounds; ++i) draw(Proposal(prior_, {around()}), i);
  }

  /// Heaviest first.
  [[nodiscard]] std::vector<Weighed> heaviest(std::size_t most) {
    std::sort(draws_.begin(), draws_.end(),
              [](const Weighed& a, const Weighed& b) { return a.log_weight > b.log_weight; });
    std::vector<Weighed> kept = draws_;
    if (kept.size() > most) kept.resize(most);
    return kept;
  }
  [[nodiscard]] double scale_variance() const { return residuals_.scale_variance(); }
  [[nodiscard]] const FittedDemand& best() const { return best_; }

 private:
  static constexpr double kWider = 1.7;

  // Rounds add up: each draw's weight holds for the proposal that it came from.
  void draw(const Proposal& proposal, std::size_t round) {
    for (std::size_t i = 0; i < kDraws; ++i) {
      const Normal& from = proposal.part_for(i);
      Weighed drawn;
      drawn.at = (from.mean + from.root * normal_draws()[round * kDraws + i])
                     .cwiseMax(-12.0)
                     .cwiseMin(12.0);
      const DemandParameters demand = {drawn.at[0], drawn.at[1], drawn.at[2]};
      residuals_.times(demand, times_);
      drawn.log_scale = residuals_.best_scale(times_);
      parts_.clear();
      residuals_.against(demand, drawn.log_scale, times_, parts_);
      double cost = 0;
      for (const double part : parts_) cost += part * part / 2;
      drawn.log_weight = -cost + prior_.log_density(drawn.at) - proposal.log_density(drawn.at);
      draws_.push_back(drawn);
    }
  }

  // Mean and covariance of the weighed draws, somewhat wider; flatter weights as long as few draws
  // carry them all.
  [[nodiscard]] Normal around() const {
    double most = -std::numeric_limits<double>::infinity();
    for (const Weighed& draw : draws_) most = std::max(most, draw.log_weight);
    double flatness = 1;
    while (effective(flatness, most) < 40 && flatness > 1e-4) flatness *= 0.7;
    Vector mean = Vector::Zero();
    double sum = 0;
    for (const Weighed& draw : draws_) {
      const double weight = std::exp(flatness * (draw.log_weight - most));
      mean += weight * draw.at;
      sum += weight;
    }
    mean /= sum;
    Matrix covariance = Matrix::Identity() * 1e-8;
    for (const Weighed& draw : draws_)
      covariance += std::exp(flatness * (draw.log_weight - most)) / sum * kWider *
                    (draw.at - mean) * (draw.at - mean).transpose();
    return {mean, covariance};
  }

  // Returns the number of draws of equal weight that would say as much.
  [[nodiscard]] double effective(double flatness, double most) const {
    double sum = 0;
    double squares = 0;
    for (const Weighed& draw : draws_) {
      const double weight = std::exp(flatness * (draw.log_weight - most));
      sum += weight;
      squares += weight * weight;
    }
    return sum * sum / squares;
  }

  DemandResiduals residuals_;
  Normal prior_;
  FittedDemand best_;
  std::vector<Weighed> draws_;
  std::vector<double> times_;
  std::vector<double> parts_;
};

}  // namespace

DemandPosterior::DemandPosterior(const ContentionModel& model, const Curve& samples)
    : model_(model) {
  Draws draws(model_, samples);
  scale_variance_ = draws.scale_variance();
  const std::vector<Weighed> heaviest = draws.heaviest(kKept);
  double sum = 0;
  for (const Weighed& draw : heaviest)
    sum += std::exp(draw.log_weight - heaviest.front().log_weight);
  for (const Weighed& draw : heaviest)
    draws_.push_back({{draw.at[0], draw.at[1], draw.at[2]},
                      draw.log_scale,
                      std::exp(draw.log_weight - heaviest.front().log_weight) / sum});
  const FittedDemand& best = draws.best();
  misfit_ = std::sqrt(2 * best.cost / static_cast<double>(samples.size() + kDemandParameters));
  for (const double residual : best.residuals) unexplained_ += residual * residual;
  unexplained_ = std::sqrt(unexplained_ / static_cast<double>(samples.size()));
}

LogTime DemandPosterior::on(const Sharing& sharing) const {
  const double clock = model_.clock.slowdown(sharing);
  double mean = 0;
  double squares = 0;
  for (const Draw& draw : draws_) {
    const double log_time = draw.log_scale + std::log(slower_time(model_.shape, model_.machine,
                                                                  draw.demand, sharing, clock));
    mean += draw.weight * log_time;
    squares += draw.weight * log_time * log_time;
  }
  const double shape = model_.tolerances.time * model_.tolerances.time;
  return {mean, std::max(squares - mean * mean, 0.0) + scale_variance_ + shape};
}

StretchedTime DemandPosterior::stretch(const Sharing& sharing, double core_slowdown) const {
  constexpr double kEnough = 0.999;          // of the weight: the lightest draws change nothing
  constexpr std::size_t kEnoughDraws = 200;  // of those, since it is asked for every frequency
  const double clock = model_.clock.slowdown(sharing);
  const double slower_clock = model_.clock.slowdown(sharing, core_slowdown);
  std::size_t heavy = 0;
  for (double weight = 0; heavy < draws_.size() && weight < kEnough; ++heavy)
    weight += draws_[heavy].weight;
  const std::size_t step = std::max<std::size_t>(heavy / kEnoughDraws, 1);
  double sum = 0;
  double log_time = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < heavy; i += step) {
    const Draw& draw = draws_[i];
    const double nominal = slower_time(model_.shape, model_.machine, draw.demand, sharing, clock);
    const double stretch =
        slower_time(model_.shape, model_.machine, draw.demand, sharing, slower_clock) / nominal;
    sum += draw.weight;
    log_time += draw.weight * (draw.log_scale + std::log(nominal));
    mean += draw.weight * stretch;
    squares += draw.weight * stretch * stretch;
  }
  mean /= sum;
  return {std::exp(log_time / sum), {mean, std::sqrt(std::max(squares / sum - mean * mean, 0.0))}};
}

}  // namespace huddle::predict
