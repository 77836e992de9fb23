#pragma once

// Internal to the reader and writer of measured rows.

#include <string>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// What files that write_measurements() makes call the column of regions.
inline constexpr std::string_view kOwnRegionName = "region";

/// What they call the column of a role, with its unit: "size", "time_s". Empty for a variable.
std::string_view own_name_of(ColumnRole role);

/// The role that a column of such a file has.
ColumnRole own_role_of(std::string_view name);

}  // namespace huddle
