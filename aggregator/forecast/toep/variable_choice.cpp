#include "aggregator/forecast/toep/variable_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>

#include "aggregator/forecast/toep/method_forest.hpp"
#include "aggregator/forecast/toep/sampling.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

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

// Of a forest on these variables and few rows.
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
  if (settings.choice == VariableChoice::importance)
    return {order.begin(),
            order.begin() + std::min<std::ptrdiff_t>(settings.variables, std::ssize(order))};
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

}  // namespace huddle
