#pragma once

// What columns are by their names.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// A name in a header, and the unit it gives.
struct HeaderName {
  /// As in the file, without blanks around it: what messages and options call the column.
  std::string raw;
  /// The same without the unit: "Time" of "Time [ms]".
  std::string name;
  /// "ms"; empty if it gives none.
  std::string unit;
};

/// Finds a unit in brackets ("Time [s]", "Time (ms)"), and, behind a name that has a role, also
/// one that is joined to it ("time_s", "Energy.Wh", "FreqGHz") or that stands alone ("seconds").
///
/// "min" that stands alone is a minimum, and no unit.
HeaderName read_header_name(std::string_view field);

/// Where columns beside it hold a maximum or a mean of the same ("time_max", "time_mean"),
/// "time_min" is a minimum, too, and gives no unit.
void heed_minima(std::vector<HeaderName>& names);

enum class ColumnMeaning : std::uint8_t {
  role,          ///< one of the roles but `variable`
  region,        ///< name of the region, or of the program
  identifier,    ///< numbers a run, a row, a rank, a thread or a place: says nothing by its size
  derived,       ///< made of time, energy or cores: their products, or power
  maybe_energy,  ///< energy of parts of a node: the name does not say which ones make up the whole
  variable,
};

/// Before and behind those of names: what an option or the tool says, and the energy of one node,
/// which is added up.
inline constexpr std::int8_t kAskedTier = -2;
inline constexpr std::int8_t kToolTier = -1;
inline constexpr std::int8_t kPartTier = 9;

struct NamedMeaning {
  ColumnMeaning meaning = ColumnMeaning::variable;
  /// Of ColumnMeaning::role.
  ColumnRole role = ColumnRole::variable;
  /// Of several columns that could have a role the lowest one has it.
  std::int8_t tier = 0;
};

/// The roles that a column of numbers can have, `variable` apart.
inline constexpr std::array kRoles = {
    ColumnRole::size,      ColumnRole::processes, ColumnRole::threads,
    ColumnRole::frequency, ColumnRole::nodes,     ColumnRole::ranks_per_node,
    ColumnRole::packages,  ColumnRole::time,      ColumnRole::energy};

/// What files that write_measurements() makes call the column of a role, with its unit: "size",
/// "time_s". Precondition: it is one of kRoles.
std::string_view own_name_of(ColumnRole role);
inline constexpr std::string_view kOwnRegionName = "region";

/// By the name in such a file.
NamedMeaning own_meaning_of(std::string_view name);

/// By the name without its unit; upper and lower case, blanks and marks don't count.
NamedMeaning meaning_of(const HeaderName& name);

}  // namespace huddle
