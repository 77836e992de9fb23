#include "aggregator/forecast/variable_choice.hpp"

#include <algorithm>
#include <numeric>

#include "aggregator/forecast/sampling.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostRows = 10'000;

}  // namespace

std::vector<VariableImportance> importance_of(const ShapedRows& rows, std::size_t kept,
                                              const ForestSettings& settings) {
  std::vector<std::uint32_t> all(rows.values.size());
  std::iota(all.begin(), all.end(), 0U);
  const Forest forest =
      Forest::grow(rows.features, rows.values, spread_evenly(all, kMostRows), settings);
  const std::vector<double> importance =
      forest.permutation_importance(rows.features, rows.values, settings.threads);
  std::vector<VariableImportance> found;
  for (std::size_t f = 0; f < importance.size(); ++f)
    found.push_back({rows.variables[f], importance[f], false});
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.importance > b.importance; });
  for (std::size_t i = 0; i < std::min(kept, found.size()); ++i) found[i].kept = true;
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
