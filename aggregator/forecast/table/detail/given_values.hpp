#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle {

/// What standard input is called, which has no name to take values from.
inline constexpr std::string_view kStandardInput = "standard input";

/// What an option gives to all rows of a file.
struct GivenValue {
  /// As it stands there: the name of a region, or a number.
  std::string text;
  /// Of a number: in the table's unit.
  double number = 0;
  /// For people: "--set threads=1", "the file's name, run_{}.csv".
  std::string from;
};

/// Throws UsageError if an option names no role that can be given, or names one twice, or a value
/// is none of that role, or a pattern is none.
void check_given_values(const MeasurementCsvOptions& options);

/// What the options give for a role that `file` has no column of; nothing if they give nothing.
/// Throws UsageError if the file's name holds no value where the pattern says, or several.
std::optional<GivenValue> given_value(std::string_view role, std::string_view file,
                                      const MeasurementCsvOptions& options);

}  // namespace huddle
