#pragma once

// Units of times, energies, frequencies and powers, and where names of columns have them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace huddle::imports {

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

/// The unit that a column's name holds.
struct UnitInName {
  /// As it stands there: "ms".
  std::string word;
  MeasurementUnit unit;
  /// The name without it and what is behind it: "solve_time" of "solve_time_ms_mean".
  std::string rest;
};

/// Finds a unit of that dimension in the name of a column that is known to have it: as the last
/// word ("solve_time_ms", "nodeEnergyKWh", "AVG_CPUFREQ_KHZ"), before words of statistics
/// ("time_us_mean") or before "per" ("ns_per_op"), behind a word of the dimension ("timems"), or
/// as the first word ("ms_elapsed"). None if there is none, or if it might be two: "min" may be a
/// minimum, and "sumJ" may end in mJ.
std::optional<UnitInName> unit_in_name(std::string_view name, Dimension dimension);

/// "s", "J", "GHz", "W"; empty for none.
std::string_view base_unit_of(Dimension dimension);

/// Some of the names that unit_named() knows, for messages.
std::string_view units_of(Dimension dimension);

}  // namespace huddle::imports
