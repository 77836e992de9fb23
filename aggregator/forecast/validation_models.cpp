#include "aggregator/forecast/validation_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "aggregator/forecast/linear_model.hpp"
#include "aggregator/forest/forest.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kProbability = 0.9;
// Rows that a forest grows on at most, and its trees.
constexpr std::size_t kForestRows = 20'000;
constexpr std::uint32_t kTrees = 60;
constexpr std::size_t kFewRows = 5000;
// With more regions, laws are looked for with less effort, to bound the time.
constexpr std::size_t kFewRegions = 4;
constexpr std::size_t kConfigurations = 60;

std::vector<std::uint32_t> spread_evenly(const std::vector<std::uint32_t>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<std::uint32_t> some(most);
  for (std::size_t i = 0; i < most; ++i) some[i] = rows[i * rows.size() / most];
  return some;
}

// By region: the mean of `values` over the training rows; 0 without.
std::vector<double> region_means(const ValidationRows& rows, const Split& split,
                                 const std::vector<double>& values) {
  std::vector<double> sums(rows.regions);
  std::vector<double> counts(rows.regions);
  for (const std::uint32_t row : split.training) {
    sums[rows.region[row]] += values[row];
    ++counts[rows.region[row]];
  }
  for (std::size_t region = 0; region < sums.size(); ++region)
    sums[region] /= std::max(counts[region], 1.0);
  return sums;
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// The factors' logarithms, and the region as the mean logarithm of what is foretold there: regions
// that are alike become neighbours.
FeatureMatrix forest_features(const ValidationRows& rows, const Split& split) {
  FeatureMatrix features(rows.size(), kFactors + 1);
  const std::vector<double> means = region_means(rows, split, logs_of(rows.value));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Factors factors = factors_of(rows.where[row]);
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      features.feature(factor)[row] = std::log(factors[factor]);
    features.feature(kFactors)[row] = means[rows.region[row]];
  }
  return features;
}

Forest grow(const FeatureMatrix& features, const std::vector<double>& values, const Split& split,
            const ForecastSettings& settings) {
  const ForestSettings growth{.trees = kTrees,
                              .features_per_split = kFactors + 1,
                              .least_leaf = split.training.size() <= kFewRows ? 2U : 5U,
                              .seed = settings.seed,
                              .threads = settings.threads};
  return Forest::grow(features, values, spread_evenly(split.training, kForestRows), growth);
}

Foretold by_forest(const ValidationRows& rows, const Split& split, const FeatureMatrix& features,
                   const ForecastSettings& settings) {
  const Forest forest = grow(features, logs_of(rows.value), split, settings);
  Foretold foretold{"forest", {}};
  for (const ForestPrediction& prediction :
       forest.predict_intervals(features, kProbability, split.test, settings.threads))
    foretold.values.push_back(
        {std::exp(prediction.value), std::exp(prediction.low), std::exp(prediction.high)});
  return foretold;
}

// A plane over the factors for all regions, each at its own height.
Foretold by_linear_regression(const ValidationRows& rows, const Split& split) {
  FeatureMatrix features(rows.size(), kFactors);
  std::vector<double> values = rows.value;
  const std::vector<double> heights = region_means(rows, split, rows.value);
  for (std::size_t factor = 0; factor < kFactors; ++factor) {
    std::vector<double> column;
    for (const Configuration& where : rows.where) column.push_back(factors_of(where)[factor]);
    const std::vector<double> means = region_means(rows, split, column);
    for (std::size_t row = 0; row < rows.size(); ++row)
      features.feature(factor)[row] = column[row] - means[rows.region[row]];
  }
  for (std::size_t row = 0; row < rows.size(); ++row) values[row] -= heights[rows.region[row]];
  const LinearModel model = LinearModel::fit(features, values, split.training);
  const std::vector<double> predicted = model.predict(features, split.test);
  Foretold foretold{"linear regression", {}};
  for (std::size_t i = 0; i < predicted.size(); ++i)
    foretold.values.push_back({predicted[i] + heights[rows.region[split.test[i]]], kNone, kNone});
  return foretold;
}

// By region, if it is learnt from.
using RegionLaws = std::vector<std::optional<ScalingLaw>>;

RegionLaws fit_laws(const ValidationRows& rows, const Split& split, std::size_t factor,
                    bool surface, const ForecastSettings& settings) {
  std::vector<std::vector<Configuration>> where(rows.regions);
  std::vector<std::vector<double>> values(rows.regions);
  for (const std::uint32_t row : split.training) {
    where[rows.region[row]].push_back(rows.where[row]);
    values[rows.region[row]].push_back(rows.value[row]);
  }
  LawSettings effort;
  effort.surface = surface;
  if (rows.regions > kFewRegions) effort.configurations = kConfigurations;
  const bool beyond = split.held_out == HeldOut::sizes_beyond;
  if (beyond) {
    effort.about = {};
    effort.about[factor] = true;
  }
  RegionLaws laws(rows.regions);
  const unsigned threads =
      settings.threads > 0 ? settings.threads : std::thread::hardware_concurrency();
  for_each_index(std::max(threads, 1U), rows.regions, [&](std::size_t region) {
    if (!values[region].empty())
      laws[region].emplace(ScalingLaw::fit(where[region], values[region],
                                           beyond ? LeftOut::beyond : LeftOut::between, effort));
  });
  return laws;
}

// A region may have been measured with one value of a factor where others have several.
Estimate law_at(const ValidationRows& rows, const RegionLaws& laws, std::uint32_t row) {
  try {
    return laws[rows.region[row]]->at(rows.where[row]);
  } catch (const Error&) {
    return {kNone, kNone, kNone};
  }
}

Foretold by_laws(const ValidationRows& rows, const Split& split, const RegionLaws& laws) {
  Foretold foretold{"scaling law", {}};
  for (const std::uint32_t row : split.test) foretold.values.push_back(law_at(rows, laws, row));
  return foretold;
}

// A forest on what the laws leave over; the interval is as wide as the law's, around another value.
Foretold by_laws_and_forest(const ValidationRows& rows, const Split& split, const RegionLaws& laws,
                            const FeatureMatrix& features, const ForecastSettings& settings) {
  std::vector<double> rest(rows.size());
  for (const std::uint32_t row : split.training) {
    const double law = law_at(rows, laws, row).value;
    rest[row] = std::isnan(law) ? 0 : std::log(rows.value[row] / law);
  }
  const Forest forest = grow(features, rest, split, settings);
  const std::vector<double> corrections = forest.predict(features, split.test, settings.threads);
  Foretold foretold{"scaling law x forest", {}};
  for (std::size_t i = 0; i < split.test.size(); ++i) {
    const Estimate law = law_at(rows, laws, split.test[i]);
    const double times = std::exp(corrections[i]);
    foretold.values.push_back({law.value * times, law.low * times, law.high * times});
  }
  return foretold;
}

}  // namespace

std::vector<Foretold> foretell(const ValidationRows& rows, const Split& split, std::size_t factor,
                               const ForecastSettings& settings) {
  const FeatureMatrix features = forest_features(rows, split);
  const bool surface = rows.regions <= kFewRegions;
  const RegionLaws plain = fit_laws(rows, split, factor, false, settings);
  std::vector<Foretold> all;
  all.push_back(by_forest(rows, split, features, settings));
  all.push_back(by_linear_regression(rows, split));
  if (surface)
    all.push_back(by_laws(rows, split, fit_laws(rows, split, factor, true, settings)));
  else
    all.push_back(by_laws(rows, split, plain));
  all.push_back(by_laws_and_forest(rows, split, plain, features, settings));
  return all;
}

}  // namespace huddle
