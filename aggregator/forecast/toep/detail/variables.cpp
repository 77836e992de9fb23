#include "aggregator/forecast/toep/detail/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>

#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::forecast {
namespace {

// Error of a multiple of the target, by rounding in the file.
constexpr double kSame = 0.01;

bool varies(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(),
                     [&](double value) { return value != values[0]; });
}

// True if `column` is the target times a constant, in every row.
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

constexpr std::size_t kRowsForImportance = 5000;
constexpr std::size_t kRowsForChoice = 2000;
constexpr std::uint32_t kTreesForChoice = 50;

std::vector<std::uint32_t> some_of(const ShapedRows& rows, std::size_t most) {
  std::vector<std::uint32_t> all(rows.values.size());
  std::iota(all.begin(), all.end(), 0U);
  return spread_evenly(all, most);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shortened(name);
  return text;
}

std::vector<std::size_t> named_variables(const ShapedRows& rows,
                                         const std::vector<std::string>& names) {
  std::vector<std::size_t> kept;
  for (const std::string& name : names) {
    if (name == rows.target) continue;
    const auto at = std::find(rows.variables.begin(), rows.variables.end(), name);
    if (at == rows.variables.end())
      throw UsageError(fmt::format("{} is none of the variables, which are {}", shortened(name),
                                   listed(rows.variables)));
    kept.push_back(static_cast<std::size_t>(at - rows.variables.begin()));
  }
  return kept;
}

// R^2 of a forest on these variables and few rows.
double usefulness(const ShapedRows& rows, const std::vector<std::size_t>& variables,
                  const std::vector<std::uint32_t>& some, MethodSettings settings) {
  settings.trees = std::min(settings.trees, kTreesForChoice);
  const FeatureMatrix features = features_of(rows, variables);
  const double r2 = Forest::grow(features, rows.values, some,
                                 method_forest(settings, some.size(), variables.size()))
                        .out_of_bag_r2();
  return std::isfinite(r2) ? r2 : -std::numeric_limits<double>::infinity();
}

// `order`: all variables, most important first.
std::vector<std::size_t> chosen(const ShapedRows& rows, const std::vector<std::size_t>& order,
                                const MethodSettings& settings) {
  const std::vector<std::uint32_t> some = some_of(rows, kRowsForChoice);
  std::vector<std::size_t> kept = {order[0]};
  while (kept.size() < std::min<std::size_t>(settings.variables, order.size())) {
    double best = -std::numeric_limits<double>::infinity();
    std::size_t helps_most = order.size();
    for (const std::size_t candidate : order) {
      if (std::find(kept.begin(), kept.end(), candidate) != kept.end()) continue;
      kept.push_back(candidate);
      const double r2 = usefulness(rows, kept, some, settings);
      kept.pop_back();
      if (r2 <= best && helps_most != order.size()) continue;
      best = r2;
      helps_most = candidate;
    }
    kept.push_back(helps_most);
  }
  return kept;
}

}  // namespace

ForestSettings method_forest(const MethodSettings& settings, std::size_t rows,
                             std::size_t variables) {
  constexpr std::size_t kFewRows = 5000;
  constexpr std::size_t kLeastChoice = 3;
  ForestSettings forest;
  forest.trees = settings.trees;
  forest.features_per_split = static_cast<std::uint32_t>(
      std::min(variables, std::max(kLeastChoice, variables / kLeastChoice)));
  forest.least_leaf = rows <= kFewRows ? 1 : 5;
  forest.seed = settings.seed;
  forest.threads = settings.threads;
  return forest;
}

ShapedRows shaped(const MeasurementTable& table, ColumnRole target) {
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

std::vector<VariableImportance> importance_of(const ShapedRows& rows,
                                              const MethodSettings& settings) {
  const std::vector<std::size_t> named = named_variables(rows, settings.keep);
  const std::vector<std::uint32_t> some = some_of(rows, kRowsForImportance);
  const Forest forest = Forest::grow(rows.features, rows.values, some,
                                     method_forest(settings, some.size(), rows.variables.size()));
  const std::vector<double> importance =
      forest.permutation_importance(rows.features, rows.values, settings.threads);
  std::vector<std::size_t> order(importance.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return importance[a] > importance[b]; });
  const std::vector<std::size_t> kept = named.empty() ? chosen(rows, order, settings) : named;
  std::vector<VariableImportance> found;
  for (const std::size_t variable : order)
    found.push_back({rows.variables[variable], importance[variable],
                     std::find(kept.begin(), kept.end(), variable) != kept.end()});
  return found;
}

std::vector<std::size_t> kept_variables(const ShapedRows& rows,
                                        const std::vector<VariableImportance>& importance) {
  std::vector<std::size_t> kept;
  for (const VariableImportance& variable : importance) {
    const auto at = std::find(rows.variables.begin(), rows.variables.end(), variable.variable);
    if (variable.kept) kept.push_back(static_cast<std::size_t>(at - rows.variables.begin()));
  }
  return kept;
}

}  // namespace huddle::forecast
