#pragma once

// Internal to the reader of measured rows.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"
#include "aggregator/forecast/table/measurement_units.hpp"

namespace huddle {

/// Whether two texts are the same but for the case of ASCII letters.
bool equal_letters(std::string_view left, std::string_view right);

/// The letters and digits of a name in small letters, without blanks and marks.
std::string letters_of(std::string_view text);

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
HeaderName read_header_name(std::string_view field);

/// What a column is by its name.
enum class ColumnMeaning : std::uint8_t {
  role,          ///< one of the roles but `variable`
  energy_part,   ///< of one node: those are added up
  region,        ///< name of the region
  program,       ///< name of the program: a region if nothing else is
  identifier,    ///< numbers a run, a row, a rank, a thread or a place: says nothing by its size
  derived,       ///< made of time, energy or cores, such as their products
  maybe_energy,  ///< energy of parts of a node: which ones make up the whole can't be told
  variable,
};

struct NamedMeaning {
  ColumnMeaning meaning = ColumnMeaning::variable;
  /// Of ColumnMeaning::role.
  ColumnRole role = ColumnRole::variable;
  /// Of several columns that could have a role the lowest one has it.
  std::uint8_t tier = 0;
};

/// By the name without its unit; upper and lower case, blanks and marks don't count.
NamedMeaning meaning_of(const HeaderName& name);

/// Whether a column of that name numbers the ranks or threads of a run.
bool numbers_places(const HeaderName& name);

/// Whether the name is one that TAU's tools give, whose times are microseconds.
bool is_tau_name(std::string_view name);

}  // namespace huddle
