#include "aggregator/forecast/validation/detail/validation_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "aggregator/forecast/forest/forest.hpp"
#include "aggregator/forecast/forest/linear_model.hpp"
#include "aggregator/forecast/laws/left_out.hpp"
#include "aggregator/forecast/laws/scaling_law.hpp"
#include "profiles/vocabulary/error.hpp"

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

std::vector<double> log_values(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// The factors' logarithms, and the region as the mean logarithm of its training rows' values:
// regions that are alike become neighbours.
FeatureMatrix forest_features(const ValidationRows& rows, const Split& split,
                              const std::vector<double>& logs) {
  const std::size_t known = rows.factors();
  FeatureMatrix features(rows.size(), known + 1);
  const std::vector<double> means = region_means(rows, split, logs);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Factors factors = logs_of(factors_of(rows.where[row]));
    for (std::size_t factor = 0; factor < known; ++factor)
      features.feature(factor)[row] = factors[factor];
    features.feature(known)[row] = means[rows.region[row]];
  }
  return features;
}

// A plane over the factors for all regions, each at its own height.
Predicted by_linear_regression(const ValidationRows& rows, const Split& split) {
  FeatureMatrix features(rows.size(), rows.factors());
  std::vector<double> values = rows.value;
  const std::vector<double> heights = region_means(rows, split, rows.value);
  for (std::size_t factor = 0; factor < rows.factors(); ++factor) {
    std::vector<double> column;
    for (const Configuration& where : rows.where) column.push_back(factors_of(where)[factor]);
    const std::vector<double> means = region_means(rows, split, column);
    for (std::size_t row = 0; row < rows.size(); ++row)
      features.feature(factor)[row] = column[row] - means[rows.region[row]];
  }
  for (std::size_t row = 0; row < rows.size(); ++row) values[row] -= heights[rows.region[row]];
  const LinearModel model = LinearModel::fit(features, values, split.training);
  const std::vector<double> above = model.predict(features, split.test);
  Predicted predicted{"linear regression", {}};
  for (std::size_t i = 0; i < above.size(); ++i)
    predicted.values.push_back({above[i] + heights[rows.region[split.test[i]]], kNone, kNone});
  return predicted;
}

// By region, if there are rows to fit to.
using RegionLaws = std::vector<std::optional<ScalingLaw>>;

RegionLaws fit_laws(const ValidationRows& rows, const Split& split, std::size_t factor) {
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
  for (std::size_t region = 0; region < rows.regions; ++region)
    if (!values[region].empty())
      laws[region].emplace(ScalingLaw::fit(where[region], values[region],
                                           beyond ? LeftOut::beyond : LeftOut::between, effort));
  return laws;
}

// What the laws predict; rows of one configuration are predicted once. NaN where a region was
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

// Forests on the logarithms of one split's rows, or on what laws leave of these. Each works on one
// thread, since splits are predicted at the same time.
class Forests {
 public:
  Forests(const ValidationRows& rows, const Split& split, std::size_t factor, std::uint64_t seed)
      : rows_(rows),
        split_(split),
        factor_(factor),
        seed_(seed),
        logs_(log_values(rows.value)),
        features_(forest_features(rows, split, logs_)) {}

  // Intervals: of rows like those that were learnt from, the forest's own; between sizes, from
  // sizes left out. Beyond there is no basis for any.
  [[nodiscard]] Predicted alone() const {
    const double width = width_left_out(logs_);
    Predicted predicted{"forest", {}};
    for (const ForestPrediction& by : intervals_of(logs_)) {
      const bool known = split_.held_out == HeldOut::rows;
      predicted.values.push_back({std::exp(by.value), std::exp(known ? by.low : by.value - width),
                                  std::exp(known ? by.high : by.value + width)});
    }
    return predicted;
  }

  // A forest on what the laws' formulas leave over. Intervals beyond are the laws'.
  [[nodiscard]] Predicted on(const RegionLaws& laws, const std::vector<Estimate>& by_law) const {
    const auto smooth = [&](std::uint32_t row) {
      return std::log(laws[rows_.region[row]]->smooth_at(rows_.where[row]));
    };
    std::vector<double> rest(rows_.size());
    for (const std::uint32_t row : split_.training) rest[row] = logs_[row] - smooth(row);
    const std::vector<ForestPrediction> corrections = intervals_of(rest);
    const double width = width_left_out(rest);
    Predicted predicted{"scaling law x forest", {}};
    for (std::size_t i = 0; i < split_.test.size(); ++i) {
      const double log = smooth(split_.test[i]);
      const double value = log + corrections[i].value;
      double low = value - std::log(by_law[i].value / by_law[i].low);
      double high = value + std::log(by_law[i].high / by_law[i].value);
      if (split_.held_out == HeldOut::rows) {
        low = log + corrections[i].low;
        high = log + corrections[i].high;
      } else if (!std::isnan(width)) {
        low = value - width;
        high = value + width;
      }
      predicted.values.push_back({std::exp(value), std::exp(low), std::exp(high)});
    }
    return predicted;
  }

 private:
  [[nodiscard]] Forest grow(const std::vector<double>& values, const Split& split) const {
    const ForestSettings growth{
        .trees = kTrees,
        .features_per_split = static_cast<std::uint32_t>(rows_.factors() + 1),
        .least_leaf = split.training.size() <= kFewRows ? 2U : 5U,
        .seed = seed_,
        .threads = 1};
    return Forest::grow(features_, values, spread_evenly(split.training, kForestRows), growth);
  }

  [[nodiscard]] std::vector<ForestPrediction> intervals_of(
      const std::vector<double>& values) const {
    return grow(values, split_).predict_intervals(features_, kProbability, split_.test, 1);
  }

  // How wide intervals between sizes must be, on logarithms: from forests on `values` that are
  // asked for whole sizes which they did not see. Of many sizes a third is enough. NaN if there are
  // too few, and for other splits.
  [[nodiscard]] double width_left_out(const std::vector<double>& values) const {
    constexpr std::size_t kEnoughSizes = 20;
    if (split_.held_out != HeldOut::sizes_between) return kNone;
    LeftOutErrors errors;
    std::set<double> sizes;
    for (Split& inner : sizes_left_out(rows_, split_, factor_)) {
      if (sizes.size() >= kEnoughSizes) break;
      inner.test = spread_evenly(inner.test, kFewRows);
      const std::vector<double> predicted = grow(values, inner).predict(features_, inner.test, 1);
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        errors.errors.push_back(values[inner.test[i]] - predicted[i]);
        sizes.insert(factors_of(rows_.where[inner.test[i]])[factor_]);
      }
    }
    errors.groups = sizes.size();
    return sizes.empty() ? kNone : width_between(errors);
  }

  const ValidationRows& rows_;
  const Split& split_;
  std::size_t factor_;
  std::uint64_t seed_;
  std::vector<double> logs_;
  FeatureMatrix features_;
};

}  // namespace

std::vector<Predicted> predict(const ValidationRows& rows, const Split& split, std::size_t factor,
                               std::uint64_t seed) {
  const RegionLaws laws = fit_laws(rows, split, factor);
  Predicted by_law{"scaling law", ask_laws(rows, laws, split.test)};
  const Forests forests(rows, split, factor, seed);
  std::vector<Predicted> all;
  all.push_back(forests.alone());
  all.push_back(by_linear_regression(rows, split));
  all.push_back(forests.on(laws, by_law.values));
  all.push_back(std::move(by_law));
  return all;
}

}  // namespace huddle
