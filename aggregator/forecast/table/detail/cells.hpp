#pragma once

// What stands in single cells of measured rows: numbers, durations, and units behind numbers.

#include <cstdint>
#include <optional>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

enum class CellKind : std::uint8_t { number, missing, not_finite, text };

/// A cell that should hold a number.
struct CellNumber {
  CellKind kind = CellKind::text;
  /// Of a number: finite.
  double value = 0;
  /// What stands behind a number, such as "GHz"; views the cell.
  std::string_view suffix;
};

/// Reads a cell without quotes and without blanks around it. Missing: nothing, "NA", "null", "-"
/// and the like. Not finite: "nan", "inf", and numbers beyond what a double holds. Exponents may be
/// Fortran's ("1.5D+03"). Precondition: `decimal_mark` is '.' or ','.
CellNumber cell_number(std::string_view cell, char decimal_mark);

/// Seconds of a duration as Slurm writes it: "1-02:03:04.5" are days, hours, minutes, seconds; the
/// days and what is behind the point may be absent. Nothing if the cell is anything else: two
/// numbers ("02:03") may be hours or minutes.
std::optional<double> duration_in(std::string_view cell);

enum class Dimension : std::uint8_t { none, time, energy, frequency, power };

/// A unit of one of the dimensions, and how a number in it becomes one in the base unit: s, J, GHz,
/// W. As a product and a quotient, so that 1730 MHz are 1.73 GHz to the last bit.
struct MeasurementUnit {
  Dimension dimension = Dimension::none;
  double multiply = 1;
  double divide = 1;

  [[nodiscard]] double in_base(double value) const { return value * multiply / divide; }
  [[nodiscard]] bool is_base() const { return multiply == divide; }
  friend bool operator==(const MeasurementUnit&, const MeasurementUnit&) = default;
};

/// "ms", "usec", "Wh", "MHz", ...; none if it is unknown. Case counts only where it tells units
/// apart ("mJ", "MJ").
std::optional<MeasurementUnit> unit_named(std::string_view text);

/// How often a thousand is left away where a number ends in K, M, G, T or P ("12.5K"), as Slurm
/// writes large ones; 0 if `suffix` is none of these letters.
int thousands_named(std::string_view suffix);

/// The dimension of a role's values; none for sizes, counts and variables.
Dimension dimension_of(ColumnRole role);

/// "s", "J", "GHz", "W"; empty for none.
std::string_view base_unit_of(Dimension dimension);

/// Some of the names that unit_named() knows, for messages.
std::string_view units_of(Dimension dimension);

}  // namespace huddle
