#pragma once

// Reads files of measured rows by the names and units of their columns, and writes them in one form
// of Huddle's own. Described in docs/formats/measurements.md.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::forecast {

/// Settings for reading measured rows; the names of columns decide what is not said.
struct MeasurementCsvOptions {
  /// "size", "region", ... -> the file's columns that hold it, as "NAME" or "NAME:UNIT". Several
  /// columns of energy are added up (TAU has one for each node); the other roles take one. Columns
  /// of "-" have no role, whatever their names.
  std::map<std::string, std::vector<std::string>, std::less<>> columns;
  /// Names of the columns that are kept beside those with a role; empty: all that hold numbers,
  /// but those that number runs or places (a rank, a row) and those that tell the energy.
  std::vector<std::string> variables;
  /// Role but time and energy -> its value in all rows of all files, none of which may have a
  /// column of it: "16", "64x64x32", "2.4GHz", a region's name.
  std::map<std::string, std::string, std::less<>> values;
  /// Numbers in a table at most, so that memory stays bounded; more are an error.
  std::uint64_t most_values = 64'000'000;
  /// Called now and then with the bytes read and the bytes there are, of all files together; 0 if
  /// that can't be known (a pipe).
  std::function<void(std::uint64_t read, std::uint64_t total)> progress;
};

/// Rows that were not kept, for one reason.
struct LeftOutRows {
  /// For people: "a value is missing".
  std::string reason;
  std::uint64_t rows = 0;
  /// The first of them: "rows.csv, line 17, column 5 (Time[s])".
  std::string first;

  friend bool operator==(const LeftOutRows&, const LeftOutRows&) = default;
};

/// Findings of reading.
struct MeasurementReading {
  std::uint64_t bytes = 0;
  /// Rows of data in the files, and those that are in the table.
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  std::vector<LeftOutRows> left_out;
  /// One sentence each, for people: columns that are ignored and why, the columns that were taken.
  std::vector<std::string> remarks;
  /// The same: units that were taken for granted, and figures that can't be true with them.
  std::vector<std::string> warnings;
};

/// Reads files of measured rows that have the same columns, streaming; "-" is standard input.
/// Rows in which a value is missing or not finite are left out and counted. `reading` holds what
/// was seen also if it throws: SystemError, UsageError for options that don't fit, or FormatError
/// with file, line and column.
MeasurementTable read_measurements(const std::vector<std::filesystem::path>& files,
                                   const MeasurementCsvOptions& options,
                                   MeasurementReading& reading);

/// The same of a text in memory; `file` is what errors call it.
MeasurementTable parse_measurements(std::string_view text, std::string_view file,
                                    const MeasurementCsvOptions& options,
                                    MeasurementReading& reading);

/// Writes rows as CSV that read_measurements() reads to the same table, but for the names of
/// columns that have a role, which become "size", "time_s" and so on. Atomically. Preconditions:
/// the names of variables differ from each other, and are no is_own_name(). `notes`: sentences
/// about the rows, without line breaks; reading gives them as remarks. Throws SystemError.
void write_measurements(const MeasurementTable& table, const std::filesystem::path& file,
                        const std::vector<std::string>& notes = {});

/// The text that write_measurements() writes.
std::string format_measurements(const MeasurementTable& table);

/// True if write_measurements() calls the column of a role, or of regions, so.
bool is_own_name(std::string_view name);

}  // namespace huddle::forecast
