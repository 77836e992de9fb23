#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/forest/forest.hpp"
#include "aggregator/forecast/toep/published_method.hpp"

namespace huddle::forecast {

/// Growth of the method's forests on so many rows and variables; the paper does not say. Each split
/// chooses from a third of the variables, but from three at least: of the three that are kept, each
/// may be the only one that separates a group of rows. A leaf may be a single row while there are
/// few, since each row counts then; of many rows it has five at least, which evens out their noise.
ForestSettings method_forest(const MethodSettings& settings, std::size_t rows,
                             std::size_t variables);

/// The rows of a table by decreasing target, and the variables to predict it from.
struct ShapedRows {
  std::string target;  ///< the name of its column
  std::vector<std::string> variables;
  FeatureMatrix features;           ///< a feature for each variable
  std::vector<double> values;       ///< of the target, falling
  std::vector<std::uint32_t> rows;  ///< where each of them stands in the table
  /// One sentence each, for people: columns that vary and yet are no variables, and why.
  std::vector<std::string> remarks;
};

/// The paper's shaping: every column but the target is a variable (time when energy is predicted,
/// and the other way round), and the region if there are several. Not among them are columns that
/// do not vary and columns other than time and energy that are the target times a constant, since
/// who knows those knows the target. Throws Error if the target is not in the table, does not vary,
/// or if no variable is left.
ShapedRows shaped(const MeasurementTable& table, ColumnRole target);

/// The same rows with these variables alone.
FeatureMatrix features_of(const ShapedRows& rows, const std::vector<std::size_t>& variables);

/// The importance of each variable in a forest on all of them, largest first, and which are kept:
/// those that the settings name; else the most important one, and then, until there are as many as
/// asked, the one that helps most beside those that are kept already (by the out-of-bag R^2 of a
/// forest on them). The most important three alone would often be one thing measured three times;
/// the paper leaves that to its experts, who chose cache misses, size and time. All of it
/// uses a few thousand rows, spread evenly over the sorted ones: more hardly change the choice, and
/// cost seconds. Throws UsageError if the settings name a variable that is not there; the
/// target, if they name it, is passed over.
std::vector<VariableImportance> importance_of(const ShapedRows& rows,
                                              const MethodSettings& settings);

/// Where the kept variables stand among those of `rows`, most important first.
std::vector<std::size_t> kept_variables(const ShapedRows& rows,
                                        const std::vector<VariableImportance>& importance);

}  // namespace huddle::forecast
