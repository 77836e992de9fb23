#include "aggregator/forecast/forest/forest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/forecast/forest/made_up_rows.hpp"

namespace huddle::forecast {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::string message_of(const FeatureMatrix& features, const std::vector<double>& values,
                       const ForestSettings& settings = {},
                       const std::vector<std::uint32_t>& rows = {}) {
  try {
    Forest::grow(features, values, rows, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("a forest is the same to the last bit on any number of threads") {
  const MadeUpRows data = make_up_rows(RowKind::skewed, 12000, 1);
  const std::vector<std::uint32_t> training = range(0, 9000);
  const std::vector<std::uint32_t> others = range(9000, 12000);
  ForestSettings settings;
  settings.trees = 20;
  settings.threads = 1;
  const Forest one = Forest::grow(data.features, data.values, training, settings);
  for (const std::uint32_t threads : {2U, 5U}) {
    settings.threads = threads;
    const Forest many = Forest::grow(data.features, data.values, training, settings);
    CHECK(same_bits(one.out_of_bag(), many.out_of_bag()));
    CHECK(one.out_of_bag_r2() == many.out_of_bag_r2());
    CHECK(same_bits(one.predict(data.features, others, 1),
                    many.predict(data.features, others, threads)));
    CHECK(same_bits(one.permutation_importance(data.features, data.values, 1),
                    many.permutation_importance(data.features, data.values, threads)));
  }
}

TEST_CASE("another seed grows another forest") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 200, 1);
  ForestSettings settings;
  const Forest first = Forest::grow(data.features, data.values, {}, settings);
  settings.seed = 2;
  const Forest second = Forest::grow(data.features, data.values, {}, settings);
  CHECK(!same_bits(first.predict(data.features), second.predict(data.features)));
}

TEST_CASE("a forest learns a law, and out-of-bag rows show how well") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 4000, 3);
  const std::vector<std::uint32_t> others = range(2000, 4000);
  const Forest forest = Forest::grow(data.features, data.values, range(0, 2000), {});
  const double r2 = r2_of(forest.predict(data.features, others), data.values, others);
  CHECK(r2 > 0.9);
  CHECK(std::abs(forest.out_of_bag_r2() - r2) < 0.02);
  const std::vector<std::uint32_t> training = range(0, 2000);
  CHECK(r2_of(forest.out_of_bag(), data.values, training) ==
        doctest::Approx(forest.out_of_bag_r2()).epsilon(1e-9));
}

TEST_CASE("out-of-bag values come in the order of the given rows, and rows may be listed anyhow") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 300, 3);
  std::vector<std::uint32_t> rows{250, 3, 17, 90, 44, 201, 8, 120, 33, 60, 299, 0};
  ForestSettings settings;
  settings.least_leaf = 1;
  const Forest forest = Forest::grow(data.features, data.values, rows, settings);
  REQUIRE(forest.out_of_bag().size() == rows.size());
  // Each is nearer to its own value than to the others' on the whole.
  double own = 0;
  double shifted = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    own += std::pow(forest.out_of_bag()[i] - data.values[rows[i]], 2);
    shifted += std::pow(forest.out_of_bag()[i] - data.values[rows[(i + 1) % rows.size()]], 2);
  }
  CHECK(own < shifted);
  const std::vector<double> all = forest.predict(data.features);
  const std::vector<double> listed = forest.predict(data.features, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(listed[i] == all[rows[i]]);
}

TEST_CASE("the importance of features follows what they do to the values") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 1500, 5);
  FeatureMatrix features(1500, 6);
  const MadeUpRows other = make_up_rows(RowKind::smooth, 1500, 6);
  std::vector<double> values(1500);
  for (std::size_t row = 0; row < 1500; ++row) {
    for (std::size_t f = 0; f < 3; ++f) {
      features.feature(f)[row] = data.features.at(row, f);
      features.feature(3 + f)[row] = other.features.at(row, f);
    }
    features.feature(5)[row] = 7;  // carries no information
    values[row] = 10 * data.features.at(row, 0) + 3 * data.features.at(row, 1);
  }
  const Forest forest = Forest::grow(features, values, {}, {});
  const std::vector<double> importance = forest.permutation_importance(features, values);
  REQUIRE(importance.size() == 6);
  CHECK(importance[0] > 3 * importance[1]);
  CHECK(importance[1] > 5 * std::abs(importance[2]));
  for (const std::size_t nothing : {2U, 3U, 4U}) CHECK(std::abs(importance[nothing]) < 0.1);
  CHECK(importance[5] == 0);
}

TEST_CASE("scale and offset of the values change nothing else") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 400, 5);
  const Forest forest = Forest::grow(data.features, data.values, {}, {});
  const std::vector<double> expected = forest.predict(data.features);
  for (const int exponent : {-950, 950}) {
    std::vector<double> values = data.values;
    for (double& value : values) value = std::ldexp(value, exponent);
    const Forest scaled = Forest::grow(data.features, values, {}, {});
    CHECK(scaled.out_of_bag_r2() == forest.out_of_bag_r2());
    std::vector<double> predicted = scaled.predict(data.features);
    for (double& value : predicted) value = std::ldexp(value, -exponent);
    CHECK(same_bits(predicted, expected));
  }
  std::vector<double> values = data.values;
  for (double& value : values) value += 1e9;
  const Forest moved = Forest::grow(data.features, values, {}, {});
  CHECK(moved.out_of_bag_r2() == doctest::Approx(forest.out_of_bag_r2()).epsilon(1e-3));
}

TEST_CASE("one row, and rows of one value, are predicted as that value") {
  FeatureMatrix one(1, 2);
  const std::vector<double> value{3.7};
  const Forest single = Forest::grow(one, value, {}, {});
  CHECK(single.predict(one) == value);
  CHECK(std::isnan(single.out_of_bag()[0]));
  CHECK(std::isnan(single.out_of_bag_r2()));

  MadeUpRows same = make_up_rows(RowKind::smooth, 50, 1);
  std::fill(same.values.begin(), same.values.end(), 0.1);
  const Forest flat = Forest::grow(same.features, same.values, {}, {});
  for (const double predicted : flat.predict(same.features)) CHECK(predicted == 0.1);
  CHECK(std::isnan(flat.out_of_bag_r2()));
  for (const double importance : flat.permutation_importance(same.features, same.values))
    CHECK(importance == 0);
}

TEST_CASE("features that never change give the mean") {
  FeatureMatrix features(40, 2);
  std::vector<double> values(40);
  for (std::size_t row = 0; row < 40; ++row) values[row] = row % 2 == 0 ? 1 : 3;
  const Forest forest = Forest::grow(features, values, {}, {});
  CHECK(forest.predict(features)[0] == doctest::Approx(2).epsilon(0.05));
}

TEST_CASE("what can't be grown is an error with row and feature") {
  MadeUpRows data = make_up_rows(RowKind::smooth, 20, 1);
  ForestSettings none;
  none.trees = 0;
  CHECK(message_of(data.features, data.values, none).find("0 trees") != std::string::npos);
  ForestSettings many;
  many.features_per_split = 4;
  CHECK(message_of(data.features, data.values, many).find("there are 3") != std::string::npos);
  CHECK(message_of(data.features, data.values, {}, {3, 20}).find("row 20") != std::string::npos);
  CHECK(message_of(data.features, std::vector<double>(19)).find("19 values for 20 rows") !=
        std::string::npos);
  CHECK(message_of(FeatureMatrix(0, 2), {}).find("no row") != std::string::npos);
  CHECK(message_of(FeatureMatrix(5, 0), std::vector<double>(5)).find("no feature") !=
        std::string::npos);
  CHECK(message_of(data.features, data.values).empty());

  const Forest forest = Forest::grow(data.features, data.values, {}, {});
  CHECK_THROWS_AS(static_cast<void>(forest.predict(FeatureMatrix(3, 2))), Error);
  data.features.feature(1)[7] = std::nan("");
  const std::string bad = message_of(data.features, data.values);
  CHECK(bad.find("feature 1 of row 7 is nan") != std::string::npos);
  CHECK(message_of(data.features, data.values, {}, {1, 2, 3}).empty());
  CHECK_THROWS_AS(static_cast<void>(forest.predict(data.features)), Error);
  data.values[4] = std::numeric_limits<double>::infinity();
  CHECK(message_of(data.features, data.values).find("value of row 4 is inf") != std::string::npos);
}

TEST_CASE("nothing to predict is no error") {
  const MadeUpRows data = make_up_rows(RowKind::smooth, 20, 1);
  const Forest forest = Forest::grow(data.features, data.values, {}, {});
  CHECK(forest.predict(FeatureMatrix(0, 3)).empty());
}

}  // namespace
}  // namespace huddle::forecast
