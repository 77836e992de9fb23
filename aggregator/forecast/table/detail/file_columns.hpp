#pragma once

// Which role each column of a file of measured rows has, by options, by its name and by its tool.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/detail/column_names.hpp"
#include "aggregator/forecast/table/detail/csv_header.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "profiles/import/tool_tables.hpp"

namespace huddle {

/// The roles that a column of numbers can have, `variable` apart.
inline constexpr std::array kRoles = {ColumnRole::size,    ColumnRole::processes,
                                      ColumnRole::threads, ColumnRole::frequency,
                                      ColumnRole::time,    ColumnRole::energy};

/// What files that write_measurements() makes call the column of a role, with its unit: "size",
/// "time_s". Empty for a variable.
std::string_view own_name_of(ColumnRole role);
inline constexpr std::string_view kOwnRegionName = "region";

/// One column of the file: what its name, the tool that wrote it, or an option says about it, and
/// what the first rows have in it.
struct FileColumn {
  NamedMeaning meaning;
  std::string unit;         ///< that of plain numbers; empty: nothing says it
  bool asked_unit = false;  ///< by an option
  std::string why_ignored;  ///< empty: it has a role or is a variable
  std::size_t numbers = 0;
  std::size_t missing = 0;  ///< or not finite
  std::size_t durations = 0;
  std::size_t texts = 0;
  bool begins_with_digit = false;  ///< the first text: a number that is not understood
  std::string suffix;              ///< of the first number that has one

  [[nodiscard]] bool is_asked() const { return meaning.tier == kAskedTier; }
  [[nodiscard]] bool is(ColumnRole role) const {
    return meaning.meaning == ColumnMeaning::role && meaning.role == role && why_ignored.empty();
  }

  void look_at(std::string_view cell, char decimal_mark);

  /// What is meant as a number counts as one, so that reading says what is wrong with it.
  [[nodiscard]] bool may_be_numbers() const;

  /// The unit for a role; none if the given unit is not of its dimension.
  [[nodiscard]] std::optional<MeasurementUnit> unit_as(Dimension dimension) const;
};

/// The columns of a file, and which of them have a role.
struct FileColumns {
  /// One for each name in the header.
  std::vector<FileColumn> columns;
  /// By role: indices of columns; several are added up.
  std::array<std::vector<std::size_t>, kRoles.size()> taken;
  std::optional<std::size_t> region;
  ToolTable tool;

  [[nodiscard]] const std::vector<std::size_t>& of(ColumnRole role) const {
    return taken[static_cast<std::size_t>(role)];
  }
  [[nodiscard]] bool is_taken(std::size_t column) const;
};

/// Throws FormatError if a column has no clear meaning; UsageError if an option names what isn't
/// there, or a unit that is none.
FileColumns choose_columns(const CsvHeader& header, const MeasurementCsvOptions& options);

/// The column that an option names: as it stands in the header, or without its unit. Throws
/// UsageError if there is none.
std::size_t named_column(const CsvHeader& header, std::string_view name);

/// Throws the error of two columns that have one name.
[[noreturn]] void fail_as_same_name(const CsvHeader& header, std::size_t left, std::size_t right);

}  // namespace huddle
