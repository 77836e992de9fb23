#pragma once

// Internal to the reader of measured rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/measurements/file_header.hpp"
#include "profiles/measurements/measurement_csv.hpp"
#include "profiles/measurements/measurement_table.hpp"
#include "profiles/measurements/measurement_units.hpp"

namespace huddle {

/// What to do with one column of a file.
struct PlannedField {
  enum class Use : std::uint8_t { ignore, number, region };
  Use use = Use::ignore;
  /// Of `number`: the table's column that it is added to.
  std::size_t column = 0;
  /// Of `number`: what a number without a unit of its own is in, and what the table's column is in.
  MeasurementUnit unit;
  MeasurementUnit column_unit;
  /// How the unit is called; behind a number it changes nothing.
  std::string unit_text;

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
  bool has_region = false;
  /// See MeasurementReading::remarks.
  std::vector<std::string> remarks;
};

/// Decides by names, units and the first rows. With `like`, the plan of an earlier file, the
/// columns are those of that one, in its order. Throws FormatError if a column has no clear
/// meaning, occurs twice, or isn't there; UsageError if an option names what isn't there.
ColumnPlan plan_columns(const FileHeader& header, const MeasurementCsvOptions& options,
                        const ColumnPlan* like);

}  // namespace huddle
