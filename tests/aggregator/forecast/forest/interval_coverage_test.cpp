#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "aggregator/forecast/forest/forest.hpp"
#include "tests/aggregator/forecast/forest/made_up_rows.hpp"

namespace huddle {
namespace {

enum class Chosen : std::uint8_t { at_random, equidistant };

// Which rows are for growing: made up rows come in no order, so the first ones are as good as any;
// or equidistant ones of all by decreasing value, as the published method takes them.
struct Parts {
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> others;
};

Parts parts_of(const MadeUpRows& data, std::size_t training, Chosen chosen) {
  Parts parts;
  const std::vector<std::uint32_t> order = by_decreasing_value(data);
  const std::size_t step = data.values.size() / training;
  for (std::uint32_t i = 0; i < data.values.size(); ++i) {
    const bool grows = chosen == Chosen::equidistant ? i % step == 0 : i < training;
    const std::uint32_t row = chosen == Chosen::equidistant ? order[i] : i;
    (grows ? parts.training : parts.others).push_back(row);
  }
  return parts;
}

// The share of other rows within their intervals, over several data sets.
double coverage(RowKind kind, std::size_t training, Chosen chosen, std::uint32_t data_sets,
                double probability = 0.9) {
  double inside = 0;
  double all = 0;
  for (std::uint32_t seed = 1; seed <= data_sets; ++seed) {
    const MadeUpRows data = make_up_rows(kind, training + 1000, seed);
    const Parts parts = parts_of(data, training, chosen);
    ForestSettings settings;
    settings.seed = seed;
    const Forest forest = Forest::grow(data.features, data.values, parts.training, settings);
    const std::vector<ForestPrediction> predicted =
        forest.predict_intervals(data.features, probability, parts.others);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double value = data.values[parts.others[i]];
      inside += predicted[i].low <= value && value <= predicted[i].high ? 1 : 0;
      ++all;
    }
  }
  return inside / all;
}

void check_coverage(std::size_t training, std::uint32_t data_sets) {
  for (const RowKind kind :
       {RowKind::smooth, RowKind::heteroscedastic, RowKind::skewed, RowKind::outliers,
        RowKind::few_numbers, RowKind::noise_free, RowKind::noise_only}) {
    for (const Chosen chosen : {Chosen::at_random, Chosen::equidistant}) {
      CAPTURE(name_of(kind));
      CAPTURE(static_cast<int>(chosen));
      const double share = coverage(kind, training, chosen, data_sets);
      CHECK(share > 0.87);
      CHECK(share < 0.93);
    }
  }
}

TEST_CASE("intervals of 90 % hold 90 % of held-out rows, on few rows") {
  check_coverage(100, 20);
}

TEST_CASE("intervals of 90 % hold 90 % of held-out rows, on more rows") {
  check_coverage(1000, 3);
}

TEST_CASE("intervals of other probabilities hold what they say") {
  CHECK(std::abs(coverage(RowKind::skewed, 1000, Chosen::at_random, 3, 0.5) - 0.5) < 0.04);
  CHECK(std::abs(coverage(RowKind::smooth, 1000, Chosen::at_random, 3, 0.99) - 0.99) < 0.01);
}

TEST_CASE("intervals are wider where noise is") {
  const MadeUpRows data = make_up_rows(RowKind::heteroscedastic, 2000, 4);
  const Forest forest = Forest::grow(data.features, data.values, {}, {});
  FeatureMatrix two(2, 3);
  for (std::size_t f = 0; f < 3; ++f) {
    two.feature(f)[0] = f == 0 ? 0.1 : 0.5;
    two.feature(f)[1] = f == 0 ? 0.95 : 0.5;
  }
  const std::vector<ForestPrediction> predicted = forest.predict_intervals(two, 0.9);
  CHECK(predicted[1].high - predicted[1].low > 2 * (predicted[0].high - predicted[0].low));
}

TEST_CASE("too few rows for a probability give intervals without end, also of a single tree") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 8, 4);
  const Forest forest = Forest::grow(data.features, data.values, {}, {});
  CHECK(forest.predict_intervals(data.features, 0.9)[0].high ==
        std::numeric_limits<double>::infinity());
  CHECK(std::isfinite(forest.predict_intervals(data.features, 0.7)[0].high));
  ForestSettings single;
  single.trees = 1;
  const MadeUpRows more = make_up_rows(RowKind::smooth, 300, 4);
  const Forest tree = Forest::grow(more.features, more.values, {}, single);
  const ForestPrediction predicted = tree.predict_intervals(more.features, 0.9)[0];
  CHECK(std::isfinite(predicted.high));
  CHECK(predicted.high > predicted.low);
}

}  // namespace
}  // namespace huddle
