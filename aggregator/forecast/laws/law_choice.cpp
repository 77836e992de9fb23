#include "aggregator/forecast/laws/law_choice.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "aggregator/forecast/laws/fitted_law.hpp"

namespace huddle::forecast {
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

// Each number that is fitted must earn so much of the error.
constexpr double kCostOfParameter = 0.02;
// For which a surface counts.
constexpr std::size_t kOfSurface = 2;
// Samples of a fold that a surface is tried on at most.
constexpr std::size_t kTrials = 12;
// Noises of a surface.
constexpr double kMiddlingNoise = 0.05;
constexpr std::array<double, 2> kOtherNoises = {0.003, 0.5};
// Up to so many, more laws are tried with a surface.
constexpr std::size_t kFewSamples = 50;
// So many forms are taken for the right one at most, and none that is so much less likely than the
// best.
constexpr std::size_t kMostRivals = 8;
constexpr double kLeastWeight = 0.02;
// An error that is rounding alone, as a logarithm.
constexpr double kLeastScore = 1e-6;

// A law without what is left out, and what it says of that.
struct FoldFit {
  FittedLaw law;
  std::vector<double> training_errors;
  std::vector<double> left_out_errors;
};

std::vector<FoldFit> fit_folds(const LawForm& form, const LawSamples& samples,
                               const std::vector<LeftOutFold>& folds) {
  std::vector<FoldFit> fits;
  for (const LeftOutFold& fold : folds) {
    FoldFit fit{fit_form(form, samples, fold.training), {}, {}};
    fit.training_errors = errors_of(fit.law, samples, fold.training);
    fit.left_out_errors = errors_of(fit.law, samples, fold.left_out);
    fits.push_back(std::move(fit));
  }
  return fits;
}

// The mean size of errors but the largest tenth, which may be outliers of the measurement.
double typical_error(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const std::size_t kept = errors.size() - errors.size() / 10;
  double sum = 0;
  for (std::size_t i = 0; i < kept; ++i) sum += errors[i];
  return sum / static_cast<double>(kept);
}

// Error of a law at the least and the largest values of factors, which are never left out
// between others, by their share in the samples: a fit that takes them for outliers is no good.
double edge_error(const LawForm& form, const LawSamples& samples) {
  const std::vector<std::size_t> indices = samples.indices();
  const std::vector<double> errors = errors_of(fit_form(form, samples, indices), samples, indices);
  double sum = 0;
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& levels = samples.levels[factor];
    if (levels.size() < 3) continue;
    for (const std::size_t i : indices)
      if (samples.where[i][factor] == levels.front() || samples.where[i][factor] == levels.back())
        sum += std::abs(errors[i]);
  }
  return sum / static_cast<double>(samples.size());
}

std::vector<std::vector<double>> left_out_of(const std::vector<FoldFit>& fits) {
  std::vector<std::vector<double>> errors;
  for (const FoldFit& fit : fits) errors.push_back(fit.left_out_errors);
  return errors;
}

// Errors at (at most `most` of) what each fold left out, with a surface over the law's residuals.
std::vector<std::vector<double>> errors_with(const SurfaceShape& shape, const LawSamples& samples,
                                             const std::vector<LeftOutFold>& folds,
                                             const std::vector<FoldFit>& fits, std::size_t most) {
  std::vector<std::vector<double>> errors;
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const ResidualSurface surface(samples, folds[fold].training, fits[fold].training_errors, shape);
    std::vector<double>& here = errors.emplace_back();
    const std::vector<std::size_t>& left_out = folds[fold].left_out;
    const std::size_t step = (left_out.size() + most - 1) / most;
    for (std::size_t i = 0; i < left_out.size(); i += step)
      here.push_back(fits[fold].left_out_errors[i] - surface.at(samples.logs[left_out[i]]));
  }
  return errors;
}

Factors ranges_of(const LawSamples& samples) {
  Factors ranges{};
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    const std::vector<double>& levels = samples.levels[factor];
    ranges[factor] = levels.size() > 1 ? std::log(levels.back() / levels.front()) : 1;
  }
  return ranges;
}

struct SurfaceSearch {
  SurfaceShape shape;
  double score = std::numeric_limits<double>::infinity();
};

// First all factors' reaches alike, as shares of their ranges; then each longer or shorter. Of many
// samples each trial takes its time: there noises are tried after reaches, not with each.
SurfaceSearch search_surface(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                             const std::vector<FoldFit>& fits) {
  SurfaceSearch best;
  const auto look_at = [&](const SurfaceShape& shape) {
    const double score = score_of(folds, errors_with(shape, samples, folds, fits, kTrials));
    if (score < best.score) best = {shape, score};
  };
  const bool few = samples.size() <= kFewSamples;
  const Factors ranges = ranges_of(samples);
  for (const bool smooth : {false, true})
    for (const double reach : {0.15, 0.5, 2.0}) {
      SurfaceShape shape{.smooth = smooth, .noise = kMiddlingNoise};
      for (std::size_t factor = 0; factor < kFactors; ++factor)
        shape.reach[factor] = reach * ranges[factor];
      look_at(shape);
      for (const double noise : kOtherNoises) {
        shape.noise = noise;
        if (few) look_at(shape);
      }
    }
  SurfaceShape shape = best.shape;
  for (const double noise : kOtherNoises) {
    shape.noise = noise;
    if (!few) look_at(shape);
  }
  const auto varying = std::count_if(samples.levels.begin(), samples.levels.end(),
                                     [](const auto& levels) { return levels.size() > 1; });
  for (std::size_t factor = 0; factor < kFactors && varying > 1; ++factor)
    for (const double times : {0.25, 4.0}) {
      if (samples.levels[factor].size() < 2) continue;
      shape = best.shape;
      shape.reach[factor] *= times;
      look_at(shape);
    }
  return best;
}

struct Candidate {
  LawForm form;
  std::vector<FoldFit> fits;
  double edge_error = 0;
  double score = 0;
};

// Adds costs to an error, so that what is simple is preferred where it hardly matters.
double with_costs(double error, const Candidate& candidate, std::size_t parameters) {
  return (error + candidate.edge_error) * (1 + kCostOfParameter * static_cast<double>(parameters));
}

// Best first.
std::vector<Candidate> candidates(const LawSamples& samples,
                                  const std::vector<LeftOutFold>& folds) {
  std::vector<Candidate> all;
  for (const LawForm& form : forms_for(samples)) {
    Candidate candidate{form, fit_folds(form, samples, folds), 0, 0};
    if (!folds.empty() && !folds[0].beyond) candidate.edge_error = edge_error(form, samples);
    candidate.score = with_costs(score_of(folds, left_out_of(candidate.fits)), candidate,
                                 form.parameters(samples));
    all.push_back(std::move(candidate));
    if (folds.empty()) break;  // nothing to compare by: the simplest
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  return all;
}

// Different values of the factors that were left out: the errors at one are alike.
std::size_t groups_of(const ErrorsByFactor& errors) {
  std::size_t groups = 0;
  for (const auto* some : {&errors.above, &errors.below})
    for (const LeftOutErrors& one : *some) groups = std::max(groups, one.groups);
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    groups = std::max(groups, errors.between[factor].groups);
  return groups;
}

// Weighs forms by the likelihood of what was left out if errors were of the typical size that each
// form has: for each value that was left out as many times less as the errors are larger.
std::vector<RivalForm> rivals_of(const std::vector<Candidate>& all, std::size_t groups) {
  std::vector<RivalForm> rivals;
  double sum = 0;
  for (const Candidate& candidate : all) {
    const double weight =
        std::pow(std::max(candidate.score, kLeastScore) / std::max(all[0].score, kLeastScore),
                 -static_cast<double>(groups));
    if (rivals.size() == kMostRivals || !(weight >= kLeastWeight)) break;
    rivals.push_back({candidate.form, weight});
    sum += weight;
  }
  for (RivalForm& rival : rivals) rival.weight /= sum;
  return rivals;
}

}  // namespace

ResidualSurface::ResidualSurface(const LawSamples& samples, std::span<const std::size_t> indices,
                                 std::vector<double> residuals, SurfaceShape shape)
    : residuals_(std::move(residuals)), shape_(shape) {
  for (const std::size_t index : indices) logs_.push_back(samples.logs[index]);
}

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

LawModel::LawModel(const LawForm& form, const std::optional<SurfaceShape>& shape,
                   const LawSamples& samples, std::span<const std::size_t> indices)
    : law_(fit_form(form, samples, indices)) {
  if (shape) surface_.emplace(samples, indices, errors_of(law_, samples, indices), *shape);
}

double LawModel::log_at(const Factors& where) const {
  return law_.log_at(where) + (surface_ ? surface_->at(logs_of(where)) : 0);
}

double score_of(const std::vector<LeftOutFold>& folds,
                const std::vector<std::vector<double>>& errors) {
  double sum = 0;
  std::size_t factors = 0;
  for (std::size_t factor = 0; factor <= kFactors; ++factor) {
    std::vector<double> all;
    for (std::size_t fold = 0; fold < folds.size(); ++fold)
      if (folds[fold].factor == factor && !folds[fold].below)
        all.insert(all.end(), errors[fold].begin(), errors[fold].end());
    if (all.empty()) continue;
    sum += typical_error(std::move(all));
    ++factors;
  }
  return factors > 0 ? sum / static_cast<double>(factors) : std::numeric_limits<double>::infinity();
}

std::vector<LeftOutFold> folds_about(const LawSamples& samples, LeftOut purpose,
                                     const std::array<bool, kFactors>& about) {
  std::vector<LeftOutFold> folds = folds_of(samples, purpose);
  const auto wanted = [&about](const LeftOutFold& fold) {
    return fold.factor == kFactors || about[fold.factor];
  };
  if (std::any_of(folds.begin(), folds.end(), wanted))
    std::erase_if(folds, [&](const LeftOutFold& fold) { return !wanted(fold); });
  return folds;
}

LawChoice choose_law(const LawSamples& samples, const std::vector<LeftOutFold>& folds,
                     bool surface) {
  const std::vector<Candidate> all = candidates(samples, folds);
  LawChoice choice{.form = all[0].form, .rivals = {}, .surface = {}, .errors = {}};
  std::vector<std::vector<double>> errors = left_out_of(all[0].fits);
  const bool between = !folds.empty() && !folds[0].beyond;
  if (surface && between && samples.size() >= 5) {
    // The law with the least errors need not be the one that leaves the smoothest ones.
    double least = all[0].score;
    const std::size_t tried = samples.size() <= kFewSamples ? 4 : 2;
    for (std::size_t i = 0; i < std::min(all.size(), tried); ++i) {
      const SurfaceSearch search = search_surface(samples, folds, all[i].fits);
      const double score =
          with_costs(search.score, all[i], all[i].form.parameters(samples) + kOfSurface);
      if (score >= least) continue;
      least = score;
      choice.form = all[i].form;
      choice.surface = search.shape;
      errors = errors_with(search.shape, samples, folds, all[i].fits, samples.size());
    }
  }
  choice.errors = by_factor(samples, folds, errors);
  if (!folds.empty()) choice.rivals = rivals_of(all, groups_of(choice.errors));
  return choice;
}

}  // namespace huddle::forecast
