#pragma once

// The columns of a file: what each one holds, and what is made of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/detail/column_names.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle::forecast {

/// The header of a file, and its first row.
struct CsvHeader {
  std::string file;
  /// Where the names are.
  std::uint64_t line = 0;
  /// The header as it stands there, without a '#' before it.
  std::string text;
  /// One for each column.
  std::vector<HeaderName> names;
  char separator = ',';
  /// True where write_measurements() wrote the file: names mean exactly what they say then.
  bool own = false;
  /// Comments of such a file about its rows.
  std::vector<std::string> notes;
  /// The cells of the first row; it has at least as many as there are names.
  std::vector<std::string> first_row;

  /// "line 17, column 5 (Time[s])".
  [[nodiscard]] std::string place(std::uint64_t line, std::size_t column) const;
};

/// One column of a file.
struct FileColumn {
  enum class Use : std::uint8_t { ignore, number, region, unit, job };
  Use use = Use::ignore;
  /// The table's column that `number` is added to, and the unit of plain numbers.
  std::size_t target = 0;
  MeasurementUnit unit;
  /// The column that holds the units of plain numbers, in place of `unit`, whose dimension it has.
  std::optional<std::size_t> units_in = std::nullopt;
};

/// Use of a file's columns.
struct ColumnPlan {
  /// One for each name in the header.
  std::vector<FileColumn> file;
  /// The table's columns, without values.
  std::vector<MeasuredColumn> columns;
  /// Values of each row, by column, before its fields are added; 0 where options
  /// give nothing.
  std::vector<double> given;
  /// True if the column of threads may be of the whole run's, see divide_totals().
  bool threads_may_be_totals = false;
  /// The region of rows without a column of regions.
  std::string given_region;
  /// See MeasurementReading.
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;
};

/// Finds columns by names and units, or as options say. With `like`, the plan of an earlier file,
/// the columns are those of that one, in its order. Throws FormatError if a column has no clear
/// meaning, occurs twice, or isn't there; UsageError if an option names what isn't there, or gives
/// what is. Precondition: check_given_values().
ColumnPlan plan_columns(const CsvHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like);

}  // namespace huddle::forecast
