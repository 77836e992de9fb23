#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle::forecast {

/// Rows of a text that is called "rows.csv", and what reading saw.
struct ReadRows {
  MeasurementTable table;
  MeasurementReading reading;

  /// The values of a role's column. Fails the test if there is none.
  [[nodiscard]] const std::vector<double>& of(ColumnRole role) const;
  /// The values of the column of that name.
  [[nodiscard]] const std::vector<double>& of(std::string_view name) const;
  /// True if a remark contains `part`.
  [[nodiscard]] bool remarks(std::string_view part) const;
  /// The same of warnings.
  [[nodiscard]] bool warns(std::string_view part) const;
};

ReadRows read_rows(std::string_view text, const MeasurementCsvOptions& options = {});

/// The error that a text is refused with; empty if it is read.
std::string error_of(std::string_view text, const MeasurementCsvOptions& options = {});

}  // namespace huddle::forecast
