#pragma once

// Single cells of measured rows: numbers, and units behind them.

#include <cstdint>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"
#include "profiles/import/measurement_unit.hpp"

namespace huddle::forecast {

enum class CellKind : std::uint8_t { number, missing, text };

/// A cell that should hold a number.
struct CellNumber {
  CellKind kind = CellKind::text;
  /// Value of a number: finite.
  double value = 0;
  /// The text behind a number, such as "GHz"; views the cell.
  std::string_view suffix;
};

/// Reads a cell without quotes and without blanks around it. Missing: nothing, "NA", "null", "nan",
/// "inf" and the like, and numbers beyond what a double holds.
CellNumber cell_number(std::string_view cell);

using imports::Dimension;
using imports::MeasurementUnit;
using imports::unit_named;

/// The dimension of a role's values; none for sizes, counts and variables.
Dimension dimension_of(ColumnRole role);

}  // namespace huddle::forecast
