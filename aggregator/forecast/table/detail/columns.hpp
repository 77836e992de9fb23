#pragma once

// The columns of a file: what each one holds, and what is made of it.

#include <cstddef>
#include <cstdint>
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

/// One column of a file.
struct FileColumn {
  /// What its name, the tool that wrote the file, or an option says.
  NamedMeaning meaning;
  std::string unit;  ///< that of plain numbers; empty: nothing says it
  bool asked_unit = false;
  bool wanted = false;      ///< as a variable, by an option
  std::string why_ignored;  ///< empty: nothing speaks against it

  /// What the first rows have in it.
  std::size_t numbers = 0;
  std::size_t missing = 0;  ///< or not finite
  std::size_t durations = 0;
  std::size_t texts = 0;
  bool begins_with_digit = false;  ///< the first text: a number that is not understood
  std::string suffix;              ///< of the first number that has one

  /// What is done with it.
  enum class Use : std::uint8_t { ignore, number, region, test };
  Use use = Use::ignore;
  /// Of `number`: the table's column that it is added to, the units of plain numbers and of that
  /// column, and what K stands for behind a number (0: nothing).
  std::size_t target = 0;
  MeasurementUnit from;
  MeasurementUnit to;
  double thousand = 0;
  /// Of `test`.
  RowTest test = RowTest::none;

  /// The unit for a role; none if the given unit is not of its dimension.
  [[nodiscard]] std::optional<MeasurementUnit> unit_as(Dimension dimension) const;
  [[nodiscard]] double scaled(double value, const MeasurementUnit& in) const {
    return in == to ? value : in.in_base(value) / to.in_base(1);
  }
};

/// What each column is, with nothing planned, and what is known of the tool that wrote the file.
/// Throws UsageError if an option names what isn't there.
std::vector<FileColumn> read_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                                     ToolTable& tool);

/// What is made of a file's columns.
struct ColumnPlan {
  /// One for each name in the header.
  std::vector<FileColumn> file;
  /// The table's columns, without values.
  std::vector<MeasuredColumn> columns;
  /// By column of the table: what each row has before its fields are added, 0 where options give
  /// nothing.
  std::vector<double> given;
  bool has_region = false;
  /// Of rows without a column of regions.
  std::string given_region;
  /// Where the column of threads holds the CPUs of all processes: both, in the table.
  std::optional<std::size_t> processes;
  std::size_t threads = 0;
  /// See MeasurementReading::remarks.
  std::vector<std::string> remarks;
};

/// Finds columns by names and units, or as options say. With `like`, the plan of an earlier file,
/// the columns are those of that one, in its order. Throws FormatError if a column has no clear
/// meaning, occurs twice, or isn't there; UsageError if an option names what isn't there, or
/// gives what is.
ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like);

}  // namespace huddle
