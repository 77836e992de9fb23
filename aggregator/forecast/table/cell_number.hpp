#pragma once

// Internal to the reader of measured rows.

#include <cstdint>
#include <string_view>

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

}  // namespace huddle
