#pragma once

// Single cells of measured rows: numbers, and units behind them.

#include <cstdint>
#include <optional>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"

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

enum class Dimension : std::uint8_t { none, time, energy, frequency, power };

/// A unit of one of the dimensions, and how a number in it becomes one in the base unit: s, J, GHz,
/// W. As a product and a quotient, so that 1730 MHz are 1.73 GHz to the last bit.
struct MeasurementUnit {
  Dimension dimension = Dimension::none;
  double multiply = 1;
  double divide = 1;

  [[nodiscard]] double in_base(double value) const { return value * multiply / divide; }
  [[nodiscard]] bool is_base() const { return multiply == divide; }
};

/// "ms", "usec", "Wh", "MHz", ...; none if it is unknown. Case counts only where it tells units
/// apart ("mJ", "MJ").
std::optional<MeasurementUnit> unit_named(std::string_view text);

/// The dimension of a role's values; none for sizes, counts and variables.
Dimension dimension_of(ColumnRole role);

/// "s", "J", "GHz", "W"; empty for none.
std::string_view base_unit_of(Dimension dimension);

/// Some of the names that unit_named() knows, for messages.
std::string_view units_of(Dimension dimension);

}  // namespace huddle::forecast
