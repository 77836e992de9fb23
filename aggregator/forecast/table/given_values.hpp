#pragma once

// Internal to the reader of measured rows.

#include <optional>
#include <string>
#include <string_view>

#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle {

/// What standard input is called, which has no name that could tell anything.
inline constexpr std::string_view kStandardInput = "standard input";

/// What an option says that all rows of a file have.
struct GivenValue {
  /// As it stands there: the name of a region, or a number.
  std::string text;
  /// Of a number: in the table's unit.
  double number = 0;
  /// The unit that was taken for granted; else empty.
  std::string granted_unit;
  /// For people: "--set threads=1", "the file's name, run_{}.csv".
  std::string from;
};

/// Throws UsageError if an option names no role that can be given, or names one twice, or a value
/// is none of that role, or a pattern is none.
void check_given_values(const MeasurementCsvOptions& options);

/// What the options say of a role that `file` has no column of; nothing if they say nothing. Throws
/// UsageError if the file's name doesn't tell it, or tells several values.
std::optional<GivenValue> given_value(std::string_view role, std::string_view file,
                                      const MeasurementCsvOptions& options);

}  // namespace huddle
