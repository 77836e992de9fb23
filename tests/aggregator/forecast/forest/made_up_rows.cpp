#include "tests/aggregator/forecast/forest/made_up_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "aggregator/forecast/forest/random_stream.hpp"

namespace huddle::forecast {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : stream_(seed) {}
  double even() { return static_cast<double>(stream_.next() >> 11U) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - even()));
    return radius * std::cos(2 * std::numbers::pi * even());
  }
  std::uint32_t below(std::uint32_t count) { return stream_.below(count); }

 private:
  RandomStream stream_;
};

double value_of(RowKind kind, double a, double b, double c, Numbers& random) {
  const double law = 3 * a + 2 * std::sin(6 * b) + a * c;
  switch (kind) {
    case RowKind::smooth:
    case RowKind::few_numbers:
      return law + 0.3 * random.normal();
    case RowKind::heteroscedastic:
      return law + 2 * a * a * random.normal();
    case RowKind::skewed:
      return std::pow(10, 6 * a) * (1 + b) * std::exp(0.2 * random.normal());
    case RowKind::outliers:
      return (5 + law + 0.3 * random.normal()) * (random.below(200) == 0 ? 10 : 1);
    case RowKind::noise_free:
      return law;
    case RowKind::noise_only:
      return random.normal();
  }
  return 0;
}

}  // namespace

MadeUpRows make_up_rows(RowKind kind, std::size_t rows, std::uint64_t seed) {
  Numbers random(seed);
  MadeUpRows made{FeatureMatrix(rows, 3), std::vector<double>(rows)};
  for (std::size_t row = 0; row < rows; ++row) {
    double a = random.even();
    double b = random.even();
    double c = random.even();
    if (kind == RowKind::few_numbers) {
      a = std::floor(a * 6) / 6;
      b = std::floor(b * 12) / 12;
      c = std::floor(c * 3) / 3;
    }
    made.features.feature(0)[row] = a;
    made.features.feature(1)[row] = b;
    made.features.feature(2)[row] = c;
    made.values[row] = value_of(kind, a, b, c, random);
  }
  return made;
}

std::string name_of(RowKind kind) {
  switch (kind) {
    case RowKind::smooth:
      return "smooth";
    case RowKind::heteroscedastic:
      return "heteroscedastic";
    case RowKind::skewed:
      return "skewed";
    case RowKind::outliers:
      return "outliers";
    case RowKind::few_numbers:
      return "few numbers";
    case RowKind::noise_free:
      return "noise free";
    case RowKind::noise_only:
      return "noise only";
  }
  return {};
}

std::vector<std::uint32_t> by_decreasing_value(const MadeUpRows& rows) {
  std::vector<std::uint32_t> order(rows.values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return rows.values[a] > rows.values[b];
  });
  return order;
}

double r2_of(const std::vector<double>& predicted, const std::vector<double>& values,
             const std::vector<std::uint32_t>& rows) {
  double mean = 0;
  for (const std::uint32_t row : rows) mean += values[row] / static_cast<double>(rows.size());
  double off = 0;
  double all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    off += std::pow(predicted[i] - values[rows[i]], 2);
    all += std::pow(values[rows[i]] - mean, 2);
  }
  return 1 - off / all;
}

}  // namespace huddle::forecast
