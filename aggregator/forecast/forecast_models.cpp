#include "aggregator/forecast/forecast_models.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "aggregator/forecast/forest/forest.hpp"
#include "aggregator/forecast/laws/law_fits.hpp"

namespace huddle {
namespace {

// Models are compared on so many samples of a fold at most, and asked for so many.
constexpr std::size_t kMostTraining = 1000;
constexpr std::size_t kMostAsked = 200;
// By how much a model must be better than those before it, which say more about why.
constexpr double kClearly = 0.9;
// Medians of measurements carry little noise: small leaves follow them.
constexpr std::uint32_t kLeastLeaf = 2;

std::vector<std::size_t> all_of(const LawSamples& samples) {
  std::vector<std::size_t> indices(samples.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

std::vector<std::size_t> spread_evenly(const std::vector<std::size_t>& indices, std::size_t most) {
  if (indices.size() <= most) return indices;
  std::vector<std::size_t> some(most);
  for (std::size_t i = 0; i < most; ++i) some[i] = indices[i * indices.size() / most];
  return some;
}

std::vector<std::size_t> varying_factors(const LawSamples& samples) {
  std::vector<std::size_t> factors;
  for (std::size_t factor = 0; factor < kFactors; ++factor)
    if (samples.levels[factor].size() > 1) factors.push_back(factor);
  if (factors.empty()) factors.push_back(kSize);
  return factors;
}

// A forest that predicts `values`, by index into the samples, from the factors' logarithms.
Predict grow_forest(const LawSamples& samples, std::span<const std::size_t> indices,
                     const std::vector<double>& values, const ForecastSettings& settings) {
  const std::vector<std::size_t> factors = varying_factors(samples);
  FeatureMatrix features(indices.size(), factors.size());
  for (std::size_t i = 0; i < indices.size(); ++i)
    for (std::size_t j = 0; j < factors.size(); ++j)
      features.feature(j)[i] = samples.logs[indices[i]][factors[j]];
  const ForestSettings growth{.features_per_split = static_cast<std::uint32_t>(factors.size()),
                              .least_leaf = kLeastLeaf,
                              .seed = settings.seed,
                              .threads = settings.threads};
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
  FittedLaw law = fit_form(form, samples, indices);
  if (!shape) return [law](const Factors& where) { return law.log_at(where); };
  const Eigen::VectorXd errors = errors_of(law, samples, indices);
  std::vector<Factors> logs;
  for (const std::size_t index : indices) logs.push_back(samples.logs[index]);
  const auto surface = std::make_shared<const ResidualSurface>(
      std::move(logs), std::vector<double>(errors.data(), errors.data() + errors.size()), *shape);
  return [law, surface](const Factors& where) {
    Factors asked{};
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      asked[factor] = std::log(where[factor]);
    return law.log_at(where) + surface->at(asked);
  };
}

std::vector<double> errors_at(const Predict& predict, const LawSamples& samples,
                              std::span<const std::size_t> indices) {
  std::vector<double> errors;
  for (const std::size_t index : indices)
    errors.push_back(samples.values[index] - predict(samples.where[index]));
  return errors;
}

}  // namespace

ForecastModel law_model(const LawSamples& samples, LawForm form,
                        std::optional<SurfaceShape> surface) {
  const std::size_t freedom = form.freedom(samples);
  return {"scaling law",
          [&samples, form = std::move(form), surface](std::span<const std::size_t> indices) {
            return fit_law(samples, form, surface, indices);
          },
          freedom};
}

ForecastModel forest_model(const LawSamples& samples, const ForecastSettings& settings) {
  return {"forest",
          [&samples, settings](std::span<const std::size_t> indices) {
            std::vector<double> values;
            for (const std::size_t index : indices) values.push_back(samples.values[index]);
            return grow_forest(samples, indices, values, settings);
          },
          0};
}

ForecastModel law_and_forest_model(const LawSamples& samples, LawForm form,
                                   const ForecastSettings& settings) {
  const std::size_t freedom = form.freedom(samples);
  return {"scaling law x forest",
          [&samples, form = std::move(form), settings](std::span<const std::size_t> indices) {
            const Predict law = fit_law(samples, form, {}, indices);
            const Predict rest =
                grow_forest(samples, indices, errors_at(law, samples, indices), settings);
            return [law, rest](const Factors& where) { return law(where) + rest(where); };
          },
          freedom};
}

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
  const std::vector<std::size_t> all = all_of(samples);
  BestModel found{best->name, best->fit(all), {}, {}};
  if (!best_errors.empty()) found.errors = by_factor(samples, compared, best_errors);
  const LawSamples some = thinned(samples, kMostTraining);
  found.fitted = fitted_errors(some, errors_at(found.predict, some, all_of(some)), best->freedom);
  return found;
}

}  // namespace huddle
