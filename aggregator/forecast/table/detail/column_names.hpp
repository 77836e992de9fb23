#pragma once

// Names of columns, and the roles that they have by them.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// A name in a header, and the unit it gives.
struct HeaderName {
  /// As in the file, without blanks around it: what messages and options call the column.
  std::string raw;
  /// The same without the unit: "Time" of "Time [ms]".
  std::string name;
  /// "ms"; empty if it gives none.
  std::string unit;
  /// Why the column has no role whatever its name, for people; empty if it may have one.
  std::string why_no_role = {};
};

/// Finds a unit in brackets ("Time [s]", "Time (ms)"), and, behind a name that has a role, also one
/// that is joined to it ("time_s", "Energy Wh").
HeaderName read_header_name(std::string_view field);

/// The same in a file that write_measurements() made, where only " [...]" gives a unit.
HeaderName read_own_name(std::string_view field);

/// The roles that a column of numbers can have, `variable` apart.
inline constexpr std::array kRoles = {
    ColumnRole::size,      ColumnRole::processes, ColumnRole::threads,
    ColumnRole::frequency, ColumnRole::nodes,     ColumnRole::ranks_per_node,
    ColumnRole::packages,  ColumnRole::time,      ColumnRole::energy};

/// Rank of a name for a role, 0 for the best; none if it is not one of its names. Upper and
/// lower case, blanks and marks don't count.
std::optional<std::size_t> rank_for(ColumnRole role, std::string_view name);
/// The same for the names of regions.
std::optional<std::size_t> rank_for_region(std::string_view name);

/// Why a column of numbers is no variable, for people, by its name; empty if it may be one: numbers
/// of runs and places say nothing by their size, and parts of the energy, power and products with
/// them would tell a model what it is to predict.
std::string_view why_no_variable(const HeaderName& name);

/// Name that files of write_measurements() give the column of a role, with its unit: "size",
/// "time_s". Precondition: it is one of kRoles.
std::string_view own_name_of(ColumnRole role);
inline constexpr std::string_view kOwnRegionName = "region";

/// The first line of such files.
inline constexpr std::string_view kOwnRowsMark = "# huddle/measurements 1";

}  // namespace huddle::forecast
