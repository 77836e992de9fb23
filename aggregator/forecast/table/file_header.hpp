#pragma once

// Internal to the reader of measured rows.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/column_names.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/record_source.hpp"

namespace huddle {

/// The first line of files that write_measurements() makes: names in such a file mean exactly what
/// they say, and nothing is guessed.
inline constexpr std::string_view kOwnRowsMark = "# huddle/measurements 1";
/// What it begins with in any version.
inline constexpr std::string_view kOwnRowsFormat = "# huddle/measurements ";

/// The beginning of a file of rows.
struct FileHeader {
  std::string file;
  /// Where the names are.
  std::uint64_t line = 0;
  /// The header as it stands there, without a '#' before it.
  std::string text;
  /// One for each column.
  std::vector<HeaderName> names;
  char separator = ',';
  char decimal_mark = '.';
  /// Whether write_measurements() wrote it.
  bool own = false;
  /// What it says about its rows in comments, if write_measurements() wrote it.
  std::vector<std::string> notes;
  /// The first rows, to look at.
  std::vector<std::string> sample;

  /// "line 17, column 5 (Time[s])".
  [[nodiscard]] std::string place(std::uint64_t line, std::size_t column) const;
};

/// Reads up to the first row, which `source` gives next. Lines that begin with '#' before the
/// header are comments; the header itself may begin so, if rows of numbers come next. Throws
/// FormatError if there is no header, or no row, or no text at all.
FileHeader read_header(RecordSource& source, const MeasurementCsvOptions& options);

/// Whether there is nothing but blanks.
bool is_blank_record(std::string_view record);

/// Whether it is no row: blank, or a line drawn of dashes or the like, as below headers.
bool is_empty_line(std::string_view record);

}  // namespace huddle
