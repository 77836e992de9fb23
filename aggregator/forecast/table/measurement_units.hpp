#pragma once

// Internal to the reader of measured rows.

#include <cstdint>
#include <optional>
#include <string_view>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

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

/// The unit that frequencies of about that number are likely in: cores run at 0.1 to 10 GHz.
std::string_view likely_frequency_unit(double number);

/// The dimension of a role's values; none for sizes, counts and variables.
Dimension dimension_of(ColumnRole role);

/// "s", "J", "GHz", "W"; empty for none.
std::string_view base_unit_of(Dimension dimension);

/// Some of the names that unit_named() knows, for messages.
std::string_view units_of(Dimension dimension);

}  // namespace huddle
