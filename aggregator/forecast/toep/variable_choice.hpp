#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "aggregator/forecast/toep/shaped_rows.hpp"

namespace huddle {

/// What a forest on all variables says about each of them, most important first, and which are
/// kept: those that the settings name; else the most important one, and then, until there are as
/// many as asked, the one that helps most beside those that are kept already (by the out-of-bag R^2
/// of a forest on them). The most important three alone would often be one thing measured three
/// times; the paper leaves that to its experts, who chose cache misses, size and time.
/// VariableChoice::importance keeps these all the same. All of it
/// looks at a few thousand rows, spread evenly over the sorted ones: more hardly change the choice,
/// and cost seconds. Throws UsageError if the settings name a variable that is not there; the
/// target, if they name it, is passed over.
std::vector<VariableImportance> importance_of(const ShapedRows& rows,
                                              const MethodSettings& settings);

/// Where the kept variables stand among those of `rows`, most important first.
std::vector<std::size_t> kept_variables(const ShapedRows& rows,
                                        const std::vector<VariableImportance>& importance);

}  // namespace huddle
