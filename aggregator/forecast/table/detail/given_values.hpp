#pragma once

// Values that options give for all rows.

#include <optional>
#include <string_view>

#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle::forecast {

/// The number in the table's unit; none if the text is no value of the role.
std::optional<double> value_from(std::string_view role, std::string_view text);

/// Throws UsageError if an option names no role, or a value is none of that role.
void check_given_values(const MeasurementCsvOptions& options);

}  // namespace huddle::forecast
