#include "aggregator/forecast/forest/detail/training_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle::forecast {
namespace {

struct NumberAt {
  double number;
  std::uint32_t at;
};

void sort_numbers(std::vector<NumberAt>& numbers) {
  std::sort(numbers.begin(), numbers.end(), [](const NumberAt& a, const NumberAt& b) {
    return a.number != b.number ? a.number < b.number : a.at < b.at;
  });
}

void check(const FeatureMatrix& features, std::span<const double> values,
           std::span<const std::uint32_t> rows) {
  if (features.features() == 0)
    throw Error("a forest can't be grown: no feature was given, at least one is needed");
  if (values.size() != features.rows())
    throw Error(fmt::format("a forest can't be grown: {} values for {} rows", values.size(),
                            features.rows()));
  const std::size_t count = rows.empty() ? features.rows() : rows.size();
  if (count == 0) throw Error("a forest can't be grown: no row was given, at least one is needed");
  if (count >= std::numeric_limits<std::uint32_t>::max() / 2)
    throw Error(fmt::format("a forest can't be grown on {} rows; at most 2 billion", count));
  for (const std::uint32_t row : rows)
    if (row >= features.rows())
      throw Error(fmt::format("a forest can't be grown: row {} was asked for, there are {}", row,
                              features.rows()));
}

[[noreturn]] void not_finite(double number, std::uint32_t row, const std::string& of) {
  throw Error(
      fmt::format("a forest can't be grown: the {} of row {} is {}; finite numbers are "
                  "needed, so leave the row out",
                  of, row, number));
}

// Places by value; centre and scale of the values.
void place_rows(TrainingRows& made, std::span<const double> values,
                const std::vector<std::uint32_t>& rows) {
  const std::size_t count = rows.size();
  std::vector<NumberAt> order(count);
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[rows[i]];
    if (!std::isfinite(value)) not_finite(value, rows[i], "value");
    order[i] = {value, static_cast<std::uint32_t>(i)};
    largest = std::max(largest, std::abs(value));
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  made.scale = std::ldexp(1.0, std::clamp(exponent + 1, -1000, 1023));
  sort_numbers(order);
  for (const NumberAt& item : order) sum += item.number / made.scale;
  made.centre = std::clamp(sum / static_cast<double>(count) * made.scale, order[0].number,
                           order[count - 1].number);
  made.given.resize(count);
  made.row.resize(count);
  made.value.resize(count);
  for (std::size_t place = 0; place < count; ++place) {
    made.given[place] = order[place].at;
    made.row[place] = rows[order[place].at];
    made.value[place] = order[place].number / made.scale - made.centre / made.scale;
  }
}

CodedFeature coded(std::span<const double> numbers, const std::vector<std::uint32_t>& row,
                   std::size_t feature) {
  const std::size_t count = row.size();
  std::vector<NumberAt> order(count);
  for (std::size_t place = 0; place < count; ++place) {
    const double number = numbers[row[place]];
    if (!std::isfinite(number)) not_finite(number, row[place], fmt::format("feature {}", feature));
    order[place] = {number, static_cast<std::uint32_t>(place)};
  }
  sort_numbers(order);
  CodedFeature made;
  made.sorted.resize(count);
  made.code.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || order[i].number != order[i - 1].number) made.numbers.push_back(order[i].number);
    made.sorted[i] = order[i].at;
    made.code[order[i].at] = static_cast<std::uint32_t>(made.numbers.size() - 1);
  }
  return made;
}

}  // namespace

std::vector<std::uint32_t> listed_rows(std::span<const std::uint32_t> rows, std::size_t count) {
  if (!rows.empty()) return {rows.begin(), rows.end()};
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

TrainingRows TrainingRows::make(const FeatureMatrix& features, std::span<const double> values,
                                std::span<const std::uint32_t> rows, unsigned threads) {
  check(features, values, rows);
  TrainingRows made;
  place_rows(made, values, listed_rows(rows, features.rows()));
  made.features.resize(features.features());
  for_each_index(threads, features.features(), [&](std::size_t feature) {
    made.features[feature] = coded(features.feature(feature), made.row, feature);
  });
  return made;
}

}  // namespace huddle::forecast
