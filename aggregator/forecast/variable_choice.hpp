#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/shaped_rows.hpp"
#include "aggregator/forest/forest.hpp"

namespace huddle {

/// What a forest on all variables says about each of them, most important first; the first `kept`
/// are kept. The forest grows on up to 10,000 rows that are spread evenly over the sorted ones:
/// more change the order of variables hardly ever, and cost seconds.
std::vector<VariableImportance> importance_of(const ShapedRows& rows, std::size_t kept,
                                              const ForestSettings& settings);

/// Where the kept variables stand among those of `rows`, most important first.
std::vector<std::size_t> kept_variables(const ShapedRows& rows,
                                        const std::vector<VariableImportance>& importance);

}  // namespace huddle
