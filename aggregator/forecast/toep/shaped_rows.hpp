#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/forest/feature_matrix.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// The rows of a table by decreasing target, and what may tell about it. A plain value.
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
ShapedRows shaped(const MeasurementTable& table, Target target);

/// The same rows with these variables alone.
FeatureMatrix features_of(const ShapedRows& rows, const std::vector<std::size_t>& variables);

}  // namespace huddle
