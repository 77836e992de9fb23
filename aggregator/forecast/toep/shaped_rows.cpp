#include "aggregator/forecast/toep/shaped_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// How far a multiple of the target may be off, by rounding in the file.
constexpr double kSame = 0.01;

bool varies(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(),
                     [&](double value) { return value != values[0]; });
}

// Whether `column` is the target times a constant, in every row.
bool is_multiple(std::span<const double> column, std::span<const double> target) {
  double least = INFINITY;
  double most = -INFINITY;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double ratio = column[i] / target[i];
    if (!std::isfinite(ratio)) return false;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    if (least <= 0 || most > least * (1 + kSame)) return false;
  }
  return true;
}

struct Candidate {
  std::string name;
  std::span<const double> values;
};

std::vector<Candidate> candidates(const MeasurementTable& table, const MeasuredColumn& target,
                                  std::vector<std::string>& remarks) {
  std::vector<Candidate> found;
  for (const MeasuredColumn& column : table.columns) {
    if (&column == &target) continue;
    if (!varies(column.values)) continue;
    if (column.role == ColumnRole::variable && is_multiple(column.values, target.values)) {
      remarks.push_back(fmt::format("{} is no variable: it is {} times a constant",
                                    shortened(column.name), name_of(target.role)));
    } else {
      found.push_back({column.name, column.values});
    }
  }
  return found;
}

std::vector<std::uint32_t> by_decreasing(std::span<const double> values) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  });
  return order;
}

std::vector<double> numbers_of(const std::vector<std::uint32_t>& regions) {
  return {regions.begin(), regions.end()};
}

}  // namespace

ShapedRows shaped(const MeasurementTable& table, Target target) {
  const MeasuredColumn* column = table.find(target);
  if (column == nullptr || table.rows() == 0)
    throw Error(fmt::format("no {} was measured: there is nothing to predict", name_of(target)));
  if (!varies(column->values))
    throw Error(fmt::format(
        "{} is {:.6g} {} in {}: there is nothing to predict", name_of(target), column->values[0],
        column->unit,
        table.rows() == 1 ? "the only row" : fmt::format("each of {} rows", table.rows())));
  ShapedRows out;
  out.target = column->name;
  std::vector<Candidate> variables = candidates(table, *column, out.remarks);
  const std::vector<double> regions = numbers_of(table.region);
  if (varies(regions)) variables.push_back({"region", regions});
  if (variables.empty())
    throw Error(fmt::format("no column but {} varies: there is nothing to predict it from",
                            name_of(target)));
  out.rows = by_decreasing(column->values);
  out.features = FeatureMatrix(out.rows.size(), variables.size());
  for (std::size_t f = 0; f < variables.size(); ++f) {
    out.variables.push_back(variables[f].name);
    const std::span<double> feature = out.features.feature(f);
    for (std::size_t i = 0; i < out.rows.size(); ++i) feature[i] = variables[f].values[out.rows[i]];
  }
  for (const std::uint32_t row : out.rows) out.values.push_back(column->values[row]);
  return out;
}

FeatureMatrix features_of(const ShapedRows& rows, const std::vector<std::size_t>& variables) {
  FeatureMatrix features(rows.values.size(), variables.size());
  for (std::size_t f = 0; f < variables.size(); ++f) {
    const std::span<const double> from = rows.features.feature(variables[f]);
    std::copy(from.begin(), from.end(), features.feature(f).begin());
  }
  return features;
}

}  // namespace huddle
