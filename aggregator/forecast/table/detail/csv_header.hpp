#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/detail/column_names.hpp"
#include "aggregator/forecast/table/detail/csv_records.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle {

/// The first line of files that write_measurements() makes: names in such a file mean exactly what
/// they say.
inline constexpr std::string_view kOwnRowsMark = "# huddle/measurements 1";

/// A record that was read, see RecordSource.
struct CsvRecord {
  std::uint64_t line = 0;
  std::string text;
  bool is_cut = false;
};

/// The beginning of a file of rows.
struct CsvHeader {
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
  /// The first rows, 500 or what a MiB holds, and their cells.
  std::vector<CsvRecord> first_records;
  std::vector<std::vector<std::string>> first_rows;

  /// "line 17, column 5 (Time[s])".
  [[nodiscard]] std::string place(std::uint64_t line, std::size_t column) const;
  /// The column of that name, as it stands in the header or without its unit, best in that case.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  /// The same for a name that an option gives. Throws UsageError if there is none.
  [[nodiscard]] std::size_t named(std::string_view name) const;
};

/// Reads the header and the first rows; next_row() gives the others. Lines that begin with '#'
/// before the header are comments; the header itself may begin so, if rows of numbers come next.
/// Throws FormatError if there is no header, or no row, or no text at all.
CsvHeader read_header(RecordSource& source, const MeasurementCsvOptions& options);

/// Reads the next record that is no comment and no empty line; false at the end.
bool next_row(RecordSource& source, CsvRecord& record);

/// Throws FormatError if a file that begins so is no text of rows but one of the formats that
/// profilers, spreadsheets and archives have: it names the format, and how rows come from it.
/// `begin` is all of a short file, at least 4 KiB of others.
void refuse_other_formats(std::string_view file, std::string_view begin);

}  // namespace huddle
