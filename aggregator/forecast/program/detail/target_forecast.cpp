#include "aggregator/forecast/program/detail/target_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "aggregator/forecast/forest/forest.hpp"

namespace huddle::forecast {
namespace {

// Models are compared on so many samples of a fold at most, and asked for so many.
constexpr std::size_t kMostTraining = 1000;
constexpr std::size_t kMostAsked = 200;
// Factor that a model must be better by than those before it, which say more about why.
constexpr double kClearly = 0.9;
// Medians of measurements carry little noise: small leaves follow them.
constexpr std::uint32_t kLeastLeaf = 2;

constexpr const char* kScalingLaw = "scaling law";

// A kind of prediction, not yet fitted. The samples must outlive it and what it returns.
struct ForecastModel {
  // "scaling law", "scaling law x forest", ...
  std::string name;
  // Fits to the samples with these indices.
  std::function<Predict(std::span<const std::size_t> indices)> fit;
  // Number of samples that it can go through whatever their noise, as far as that can be counted.
  std::size_t freedom = 0;
};

std::vector<std::size_t> varying_factors(const LawSamples& samples) {
  std::vector<std::size_t> factors;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (samples.levels[factor].size() > 1) factors.push_back(factor);
  if (factors.empty()) factors.push_back(kSize);
  return factors;
}

// A forest that predicts `values`, by index into the samples, from the factors' logarithms.
Predict grow_forest(const LawSamples& samples, std::span<const std::size_t> indices,
                    const std::vector<double>& values) {
  const std::vector<std::size_t> factors = varying_factors(samples);
  FeatureMatrix features(indices.size(), factors.size());
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::size_t j = 0; j < factors.size(); ++j)
      features.feature(j)[i] = samples.logs[indices[i]][factors[j]];
  const ForestSettings growth{.features_per_split = static_cast<std::uint32_t>(factors.size()),
                              .least_leaf = kLeastLeaf,
                              .threads = 1};
  const auto forest = std::make_shared<const Forest>(Forest::grow(features, values, {}, growth));
  return [forest, factors](const Factors& where) {
    FeatureMatrix asked(1, factors.size());
    for (std::size_t j = 0; j < factors.size(); ++j)
      asked.feature(j)[0] = std::log(where[factors[j]]);
    return forest->predict(asked, {}, 1)[0];
  };
}

Predict fit_law(const LawSamples& samples, const LawForm& form,
                const std::optional<SurfaceShape>& shape, std::span<const std::size_t> indices) {
  const auto law = std::make_shared<const LawModel>(form, shape, samples, indices);
  return [law](const Factors& where) { return law->log_at(where); };
}

std::vector<double> errors_at(const Predict& predict, const LawSamples& samples,
                              std::span<const std::size_t> indices) {
  std::vector<double> errors;
  for (const std::size_t index : indices)
    errors.push_back(samples.values[index] - predict(samples.where[index]));
  return errors;
}

// A law of that form, with a surface of that shape if there is one.
ForecastModel law_model(const LawSamples& samples, LawForm form,
                        std::optional<SurfaceShape> surface) {
  const std::size_t freedom = form.freedom(samples);
  return {kScalingLaw,
          [&samples, form = std::move(form), surface](std::span<const std::size_t> indices) {
            return fit_law(samples, form, surface, indices);
          },
          freedom};
}

// A forest on the residuals of a law of that form. Beyond measured values it keeps those at their
// edge, and the law goes on.
ForecastModel law_and_forest_model(const LawSamples& samples, LawForm form) {
  const std::size_t freedom = form.freedom(samples);
  return {"scaling law x forest",
          [&samples, form = std::move(form)](std::span<const std::size_t> indices) {
            const Predict law = fit_law(samples, form, {}, indices);
            const Predict rest = grow_forest(samples, indices, errors_at(law, samples, indices));
            return [law, rest](const Factors& where) { return law(where) + rest(where); };
          },
          freedom};
}

// A law of time times a law of power, for energy.
ForecastModel time_and_power_model(const LawSamples& time, const LawChoice& time_law,
                                   const LawSamples& power, const LawChoice& power_law) {
  return {"scaling laws of time and power",
          [&time, &power, time_law, power_law](std::span<const std::size_t> indices) {
            const Predict seconds = fit_law(time, time_law.form, time_law.surface, indices);
            const Predict watts = fit_law(power, power_law.form, power_law.surface, indices);
            return [seconds, watts](const Factors& where) { return seconds(where) + watts(where); };
          },
          std::max(time_law.form.freedom(time), power_law.form.freedom(power))};
}

// Fits each model without each fold and compares it with what was left out. A model wins over those
// before it if it is clearly better; the first one where there are no folds. Precondition: there is
// a model, and all are of these samples.
BestModel best_model(const LawSamples& samples, const std::vector<ForecastModel>& models,
                     const std::vector<LeftOutFold>& folds) {
  std::vector<LeftOutFold> compared = folds;
  for (LeftOutFold& fold : compared) {
    fold.training = spread_evenly(fold.training, kMostTraining);
    fold.left_out = spread_evenly(fold.left_out, kMostAsked);
  }
  const ForecastModel* best = models.data();
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> best_errors;
  for (const ForecastModel& model : models) {
    if (compared.empty()) break;
    std::vector<std::vector<double>> errors;
    for (const LeftOutFold& fold : compared)
      errors.push_back(errors_at(model.fit(fold.training), samples, fold.left_out));
    const double score = score_of(compared, errors);
    if (score >= kClearly * least) continue;
    least = score;
    best = &model;
    best_errors = std::move(errors);
  }
  BestModel found{best->name, best->fit(samples.indices()), {}, {}};
  if (!best_errors.empty()) found.errors = by_factor(samples, compared, best_errors);
  const LawSamples some = thinned(samples, kMostTraining);
  found.fitted = fitted_errors(some, errors_at(found.predict, some, some.indices()), best->freedom);
  return found;
}

// Forms of laws are compared on so many configurations, and models are fitted to so many.
constexpr std::size_t kForLaws = 300;
constexpr std::size_t kForModels = 3000;
// A forest needs some leaves.
constexpr std::size_t kForForests = 10;
// So many repetitions show the noise.
constexpr std::size_t kForNoise = 8;
// Change of the logarithm for each unit of distance where configurations were measured
// around, but none near: an assumption, since nothing was measured there.
constexpr double kGapGrowth = 0.25;
// The same if two factors varied together only: what one does might as well be the other's doing.
// A power of 1 may be either's, and both are that far off.
constexpr double kGapGrowthTogether = 2;
constexpr double kTogether = 0.95;

LawChoice choose(const LawSamples& samples, LeftOut purpose,
                 const std::array<bool, kFactors>& about) {
  const LawSamples some = thinned(samples, kForLaws);
  return choose_law(some, folds_about(some, purpose, about), true);
}

// The spread of repetitions around their median, corrected for its being made of them.
std::optional<double> repetition_width(const LawSamples& samples) {
  LeftOutErrors errors;
  for (const std::vector<double>& deviations : samples.deviations) {
    if (deviations.size() < 2) continue;
    const auto count = static_cast<double>(deviations.size());
    for (const double deviation : deviations)
      errors.errors.push_back(deviation * std::sqrt((count + 1) / (count - 1)));
    ++errors.groups;
  }
  if (errors.errors.size() < kForNoise) return {};
  return width_between(errors);
}

std::vector<double> quotients(const std::vector<double>& values, const std::vector<double>& over) {
  std::vector<double> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) all[i] = values[i] / over[i];
  return all;
}

// Correlation of the logarithms of two factors in the samples.
double correlation(const LawSamples& samples, std::size_t a, std::size_t b) {
  const auto count = static_cast<double>(samples.size());
  double mean_a = 0;
  double mean_b = 0;
  for (const Factors& logs : samples.logs) {
    mean_a += logs[a] / count;
    mean_b += logs[b] / count;
  }
  double both = 0;
  double of_a = 0;
  double of_b = 0;
  for (const Factors& logs : samples.logs) {
    both += (logs[a] - mean_a) * (logs[b] - mean_b);
    of_a += (logs[a] - mean_a) * (logs[a] - mean_a);
    of_b += (logs[b] - mean_b) * (logs[b] - mean_b);
  }
  return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 0;
}

double gap_growth(const LawSamples& samples) {
  for (std::size_t a = 0; a < kFactors; ++a)
    for (std::size_t b = a + 1; b < kFactors; ++b)
      if (std::abs(correlation(samples, a, b)) > kTogether) return kGapGrowthTogether;
  return kGapGrowth;
}

Estimate around(double log, Reach reach) {
  return {std::exp(log), std::exp(log - reach.below), std::exp(log + reach.above)};
}

}  // namespace

TargetForecast::TargetForecast(ForecastTarget target, const std::vector<Configuration>& where,
                               const std::vector<double>& values, const std::vector<double>& time)
    : target_(target), samples_(thinned(gather_samples(where, values), kForModels)) {
  if (!time.empty()) {
    time_ = thinned(gather_samples(where, time), kForModels);
    power_ = thinned(gather_samples(where, quotients(values, time)), kForModels);
  }
  repetition_width_ = repetition_width(samples_);
  gap_growth_ = gap_growth(samples_);
  for (std::size_t factor = kProcesses; factor < kFactors; ++factor)
    with_size_[factor] = correlation(samples_, kSize, factor) > kTogether;
}

TargetForecast::Learnt TargetForecast::learn(const std::array<bool, kFactors>& beyond) const {
  const bool between = std::none_of(beyond.begin(), beyond.end(), [](bool is) { return is; });
  const LeftOut purpose = between ? LeftOut::between : LeftOut::beyond;
  std::array<bool, kFactors> about = beyond;
  if (between) about.fill(true);
  const LawChoice law = choose(samples_, purpose, about);
  std::optional<LawChoice> time_law;
  std::optional<LawChoice> power_law;
  std::vector<ForecastModel> models;
  // First, as power depends on little, and on that smoothly: what time does, energy follows.
  if (time_) {
    time_law = choose(*time_, purpose, about);
    power_law = choose(*power_, purpose, about);
    models.push_back(time_and_power_model(*time_, *time_law, *power_, *power_law));
  }
  models.push_back(law_model(samples_, law.form, law.surface));
  if (samples_.size() >= kForForests) models.push_back(law_and_forest_model(samples_, law.form));
  Learnt learnt{best_model(samples_, models, folds_about(samples_, purpose, about)), {}, {}};
  const bool by_power = time_ && learnt.model.name == models[0].name;
  // A surface and a forest pass through their samples: their errors are no measure.
  const bool passes = between && (law.surface || learnt.model.name != kScalingLaw);
  learnt.widths = IntervalWidths(samples_.levels, learnt.model.errors,
                                 passes ? LeftOutErrors{} : learnt.model.fitted);
  if (between) return learnt;
  if (by_power) {
    learnt.doubts.emplace_back(thinned(*time_, kForLaws), *time_law);
    learnt.doubts.emplace_back(thinned(*power_, kForLaws), *power_law);
  } else {
    learnt.doubts.emplace_back(thinned(samples_, kForLaws), law);
  }
  return learnt;
}

// Beyond what was measured: the width by errors at what was left out, and no less than what the
// laws themselves leave open. Independent measurement errors of time and power make that of energy.
double TargetForecast::half_width(const Learnt& learnt, const Factors& where) {
  const double by_errors = learnt.widths.half_width(where);
  double squares = 0;
  for (const ModelDoubt& doubt : learnt.doubts) {
    const double half =
        doubt.half_width(where, learnt.widths.measured_width() /
                                    std::sqrt(static_cast<double>(learnt.doubts.size())));
    squares += half * half;
  }
  return std::fmax(by_errors, std::sqrt(squares));
}

const TargetForecast::Learnt& TargetForecast::learnt_for(
    const std::array<bool, kFactors>& beyond) const {
  const std::lock_guard lock(mutex_);
  const auto found = learnt_.find(beyond);
  if (found != learnt_.end()) return found->second;
  return learnt_.emplace(beyond, learn(beyond)).first->second;
}

std::optional<Estimate> TargetForecast::measured_at(const Factors& where) const {
  const auto found = std::lower_bound(samples_.where.begin(), samples_.where.end(), where);
  if (found == samples_.where.end() || *found != where) return {};
  const double log = samples_.values[static_cast<std::size_t>(found - samples_.where.begin())];
  const double half =
      repetition_width_ ? *repetition_width_ : learnt_for({}).widths.measured_width();
  return around(log, bounded({half, half}, samples_.levels, where));
}

TargetForecast::Answer TargetForecast::at(const Configuration& where,
                                          const std::array<bool, kFactors>& beyond,
                                          double gap) const {
  const Factors factors = factors_of(where);
  if (const std::optional<Estimate> measured = measured_at(factors))
    return {*measured, "measured", why_not_told(*measured, samples_.levels, factors, false)};
  check_known(samples_.levels, factors);
  const Learnt& learnt = learnt_for(beyond);
  const double half = half_width(learnt, factors) + gap_growth_ * gap;
  const Reach more =
      reach_of_more_cores(samples_.levels, factors, with_size_, target_, learnt.model.predict);
  const Reach reach = {std::max(half, more.below), std::max(half, more.above)};
  const Estimate value =
      around(learnt.model.predict(factors), bounded(reach, samples_.levels, factors));
  return {value, learnt.model.name, why_not_told(value, samples_.levels, factors, gap > 0)};
}

}  // namespace huddle::forecast
