#pragma once

// What becomes of each column of a file of measured rows: which column of the table it fills, in
// which unit, or why it is ignored.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/detail/cells.hpp"
#include "aggregator/forecast/table/detail/csv_header.hpp"
#include "aggregator/forecast/table/detail/file_columns.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle {

/// What to do with one column of a file.
struct PlannedField {
  enum class Use : std::uint8_t { ignore, number, region, test };
  Use use = Use::ignore;
  /// Of `number`: the table's column that it is added to.
  std::size_t column = 0;
  /// Of `number`: what a number without a unit of its own is in, and what the table's column is in.
  MeasurementUnit unit;
  MeasurementUnit column_unit;
  /// How the unit is called; behind a number it changes nothing.
  std::string unit_text;
  /// What K stands for behind a number; 0: it is no such column.
  double thousand = 0;
  /// Of `test`.
  RowTest test = RowTest::none;

  [[nodiscard]] double scaled(double value) const {
    return unit == column_unit ? value : unit.in_base(value) / column_unit.in_base(1);
  }
};

/// What is made of a file's columns.
struct ColumnPlan {
  /// One for each name in the header.
  std::vector<PlannedField> fields;
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
