#include "aggregator/forecast/validation_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "aggregator/forecast/linear_model.hpp"
#include "aggregator/forecast/forest/forest.hpp"
#include "aggregator/forecast/laws/left_out_errors.hpp"
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

// The factors' logarithms, and the region as the mean logarithm of what is predicted there: regions
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

// A plane over the factors for all regions, each at its own height.
Predicted by_linear_regression(const ValidationRows& rows, const Split& split) {
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
  const std::vector<double> above_means = model.predict(features, split.test);
  Predicted predicted{"linear regression", {}};
  for (std::size_t i = 0; i < above_means.size(); ++i)
    predicted.values.push_back({above_means[i] + heights[rows.region[split.test[i]]], kNone, kNone});
  return predicted;
}

// By region, if it is learnt from.
using RegionLaws = std::vector<std::optional<ScalingLaw>>;

RegionLaws fit_laws(const ValidationRows& rows, const Split& split, std::size_t factor,
                    const ForecastSettings& settings) {
  std::vector<std::vector<Configuration>> where(rows.regions);
  std::vector<std::vector<double>> values(rows.regions);
  for (const std::uint32_t row : split.training) {
    where[rows.region[row]].push_back(rows.where[row]);
    values[rows.region[row]].push_back(rows.value[row]);
  }
  LawSettings effort;
  if (rows.regions > kFewRegions) {
    effort.surface = false;
    effort.configurations = kConfigurations;
  }
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

// What the laws say of rows; rows of one configuration are asked for once. NaN where a region was
// measured with one value of a factor, and others with several.
std::vector<Estimate> ask_laws(const ValidationRows& rows, const RegionLaws& laws,
                               const std::vector<std::uint32_t>& asked) {
  std::map<std::pair<std::uint32_t, Factors>, Estimate> known;
  std::vector<Estimate> estimates;
  for (const std::uint32_t row : asked) {
    const auto [found, is_new] = known.try_emplace({rows.region[row], factors_of(rows.where[row])},
                                                   Estimate{kNone, kNone, kNone});
    if (is_new) {
      try {
        found->second = laws[rows.region[row]]->at(rows.where[row]);
      } catch (const Error&) {  // stays NaN
      }
    }
    estimates.push_back(found->second);
  }
  return estimates;
}

// Of the training rows: each third of the whole sizes between others.
std::vector<Split> sizes_left_out(const ValidationRows& rows, const Split& split,
                                  std::size_t factor) {
  constexpr std::size_t kFolds = 3;
  std::map<double, std::vector<std::uint32_t>> by_level;
  for (const std::uint32_t row : split.training)
    by_level[factors_of(rows.where[row])[factor]].push_back(row);
  std::vector<Split> inner(kFolds, {HeldOut::sizes_between, {}, {}});
  std::size_t rank = 0;
  for (const auto& [value, of_level] : by_level) {
    const bool between = rank > 0 && rank + 1 < by_level.size();
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      std::vector<std::uint32_t>& where =
          between && rank % kFolds == fold ? inner[fold].test : inner[fold].training;
      where.insert(where.end(), of_level.begin(), of_level.end());
    }
    ++rank;
  }
  std::erase_if(inner, [](const Split& one) { return one.test.empty(); });
  return inner;
}

// How wide intervals between sizes must be, on logarithms: from forests on `rest` that are asked
// for whole sizes which they did not see. Of many sizes a third is enough. NaN if there are too
// few.
double width_left_out(const ValidationRows& rows, const Split& split, std::size_t factor,
                      const FeatureMatrix& features, const std::vector<double>& rest,
                      const ForecastSettings& settings) {
  constexpr std::size_t kEnoughSizes = 20;
  LeftOutErrors errors;
  std::set<double> sizes;
  for (Split& inner : sizes_left_out(rows, split, factor)) {
    if (sizes.size() >= kEnoughSizes) break;
    inner.test = spread_evenly(inner.test, kFewRows);
    const std::vector<double> predicted =
        grow(features, rest, inner, settings).predict(features, inner.test, settings.threads);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      errors.errors.push_back(rest[inner.test[i]] - predicted[i]);
      sizes.insert(factors_of(rows.where[inner.test[i]])[factor]);
    }
  }
  errors.groups = sizes.size();
  return sizes.empty() ? kNone : width_between(errors);
}

// Intervals: of rows like those that were learnt from, the forest's own; between sizes, from sizes
// left out. Beyond there is nothing to tell them by: none.
Predicted by_forest(const ValidationRows& rows, const Split& split, std::size_t factor,
                   const FeatureMatrix& features, const ForecastSettings& settings) {
  const std::vector<double> logs = logs_of(rows.value);
  const Forest forest = grow(features, logs, split, settings);
  const double width = split.held_out == HeldOut::sizes_between
                           ? width_left_out(rows, split, factor, features, logs, settings)
                           : kNone;
  Predicted predicted{"forest", {}};
  for (const ForestPrediction& prediction :
       forest.predict_intervals(features, kProbability, split.test, settings.threads)) {
    const bool is_known = split.held_out == HeldOut::rows;
    const double low = is_known ? prediction.low : prediction.value - width;
    const double high = is_known ? prediction.high : prediction.value + width;
    predicted.values.push_back({std::exp(prediction.value), std::exp(low), std::exp(high)});
  }
  return predicted;
}

// A forest on what the laws' formulas leave over. The interval: of rows like those that were learnt
// from, the forest's; between sizes, from sizes left out; beyond, the law's.
Predicted by_laws_and_forest(const ValidationRows& rows, const Split& split, std::size_t factor,
                            const RegionLaws& laws, const std::vector<Estimate>& by_law,
                            const FeatureMatrix& features, const ForecastSettings& settings) {
  std::vector<double> rest(rows.size());
  for (const std::uint32_t row : split.training)
    rest[row] = std::log(rows.value[row] / laws[rows.region[row]]->smooth_at(rows.where[row]));
  const std::vector<ForestPrediction> corrections =
      grow(features, rest, split, settings)
          .predict_intervals(features, kProbability, split.test, settings.threads);
  const double width = split.held_out == HeldOut::sizes_between
                           ? width_left_out(rows, split, factor, features, rest, settings)
                           : kNone;
  Predicted predicted{"scaling law x forest", {}};
  for (std::size_t i = 0; i < split.test.size(); ++i) {
    const std::uint32_t row = split.test[i];
    const double log = std::log(laws[rows.region[row]]->smooth_at(rows.where[row]));
    const ForestPrediction& correction = corrections[i];
    const double value = log + correction.value;
    double low = value - std::log(by_law[i].value / by_law[i].low);
    double high = value + std::log(by_law[i].high / by_law[i].value);
    if (split.held_out == HeldOut::rows) {
      low = log + correction.low;
      high = log + correction.high;
    } else if (!std::isnan(width)) {
      low = value - width;
      high = value + width;
    }
    predicted.values.push_back({std::exp(value), std::exp(low), std::exp(high)});
  }
  return predicted;
}

}  // namespace

std::vector<Predicted> predict(const ValidationRows& rows, const Split& split, std::size_t factor,
                               const ForecastSettings& settings) {
  const FeatureMatrix features = forest_features(rows, split);
  const RegionLaws laws = fit_laws(rows, split, factor, settings);
  Predicted by_law{"scaling law", ask_laws(rows, laws, split.test)};
  std::vector<Predicted> all;
  all.push_back(by_forest(rows, split, factor, features, settings));
  all.push_back(by_linear_regression(rows, split));
  all.push_back(by_laws_and_forest(rows, split, factor, laws, by_law.values, features, settings));
  all.push_back(std::move(by_law));
  return all;
}

}  // namespace huddle
