#include "aggregator/forecast/table/detail/given_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/detail/column_names.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::forecast {
namespace {

std::string_view values_of(std::string_view role) {
  if (role == "size") return kProblemSizes;
  if (role == "frequency") return "a frequency with its unit, such as 2.4GHz";
  return role == "region" ? "a name" : "a whole number of at least 1";
}

}  // namespace

std::optional<double> value_from(std::string_view role, std::string_view text) {
  if (role == "region") return text.empty() ? std::nullopt : std::optional<double>(0);
  if (role == "size") return parse_problem_size(text);
  const CellNumber number = cell_number(text);
  if (number.kind != CellKind::number || !(number.value > 0)) return std::nullopt;
  if (role == "frequency") {
    const auto unit = unit_named(number.suffix);
    if (!unit || unit->dimension != Dimension::frequency) return std::nullopt;
    return unit->in_base(number.value);
  }
  if (!number.suffix.empty() || number.value != std::floor(number.value)) return std::nullopt;
  return number.value;
}

void check_given_values(const MeasurementCsvOptions& options) {
  for (const auto& [role, text] : options.values) {
    const bool known = role == "region" || std::ranges::find(kRoles, role, name_of) != kRoles.end();
    if (!known || role == "time" || role == "energy")
      throw UsageError(
          fmt::format("--set {}: expected one of size, processes, threads, frequency, nodes, "
                      "ranks_per_node, packages, region: what was measured stands in columns",
                      shortened(role)));
    if (!value_from(role, text))
      throw UsageError(
          fmt::format("--set {}={}: expected {}", role, shortened(text), values_of(role)));
  }
}

}  // namespace huddle::forecast
