#pragma once

// Reads files of measured rows as tools and scripts write them, and writes them in one form of
// Huddle's own. Described in docs/formats/measurements.md.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// How to read measured rows; what is not said is found out from the names of columns.
struct MeasurementCsvOptions {
  /// "size", "region", ... -> the file's columns that hold it, as "NAME" or "NAME:UNIT". Several
  /// columns of energy are added up (TAU has one for each node); the other roles take one.
  std::map<std::string, std::vector<std::string>, std::less<>> columns;
  /// Column's name -> its unit, where the header has none: "ms", "Wh", "MHz".
  std::map<std::string, std::string, std::less<>> units;
  /// Names of the columns that are kept beside those with a role; empty: all that hold numbers,
  /// but those that number runs or places (a rank, a row) and those that follow from time and
  /// energy.
  std::vector<std::string> variables;
  /// "time", "energy": what regions inside of others take is not part of these; without this, the
  /// column's name says so.
  std::set<std::string, std::less<>> exclusive;
  /// Role but time and energy -> its value in all rows of all files, none of which may have a
  /// column of it: "16", "64x64x32", "2.4GHz", a region's name.
  std::map<std::string, std::string, std::less<>> values;
  /// Role but time and energy -> pattern of the names of the files that have no column of it: "{}"
  /// stands for the value, '*' for any text without '/', all else for itself. Without a '/' it is
  /// the last part of the file's name, else as many parts at its end.
  std::map<std::string, std::string, std::less<>> name_patterns;
  /// 0: found out from the header and the first rows; else ',', ';', '|', ' ' (any run of blanks
  /// and tabs) or a tab.
  char separator = 0;
  /// 0: ',' where commas stand in numbers and separate nothing, else '.'.
  char decimal_mark = 0;
  /// Rows with text in a column of numbers are left out and counted; otherwise they are an error.
  bool leave_out_bad_rows = false;
  /// Rows that are kept at most, and numbers in them, so that memory stays bounded however large a
  /// file is: beyond it, about every second row is given up, again and again, drawn by lot, always
  /// the same: each second row by count would keep but one of two configurations that take turns.
  std::uint64_t most_rows = 4'000'000;
  std::uint64_t most_values = 64'000'000;
  /// Called now and then with the bytes read and the bytes there are, of all files together; 0 if
  /// that can't be known (a pipe).
  std::function<void(std::uint64_t read, std::uint64_t total)> progress;
};

/// Rows that were not kept, for one reason.
struct LeftOutRows {
  /// For people: "a value is missing", "not a finite number".
  std::string reason;
  std::uint64_t rows = 0;
  /// The first of them: "rows.csv, line 17, column 5 (Time[s])".
  std::string first;

  friend bool operator==(const LeftOutRows&, const LeftOutRows&) = default;
};

/// What reading saw.
struct MeasurementReading {
  std::uint64_t bytes = 0;
  /// Rows of data in the files, and those that are in the table.
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  /// 1: all; n: about one of n, since there were more than `most_rows` or `most_values`.
  std::uint64_t stride = 1;
  std::vector<LeftOutRows> left_out;
  /// One sentence each, for people: columns that are ignored and why, units that were taken for
  /// granted, what a column was taken for.
  std::vector<std::string> remarks;
};

/// Reads files of measured rows that have the same columns, streaming; "-" is standard input.
/// Format: docs/formats/measurements.md. `reading` holds what was seen also if it throws:
/// SystemError, UsageError for options that don't fit, or FormatError with file, line and column.
MeasurementTable read_measurements(const std::vector<std::filesystem::path>& files,
                                   const MeasurementCsvOptions& options,
                                   MeasurementReading& reading);

/// The same of a text in memory; `file` is what errors call it.
MeasurementTable parse_measurements(std::string_view text, std::string_view file,
                                    const MeasurementCsvOptions& options,
                                    MeasurementReading& reading);

/// Writes rows as CSV that read_measurements() reads to the same table, but for the names of
/// columns that have a role, which become "size", "time_s" and so on. Atomically. Preconditions:
/// the names of variables differ from each other, and are no is_own_name(). `notes`: what else is
/// to be said about the rows, one sentence each without line breaks; reading gives them as remarks.
/// Throws SystemError.
void write_measurements(const MeasurementTable& table, const std::filesystem::path& file,
                        const std::vector<std::string>& notes = {});

/// What write_measurements() writes.
std::string format_measurements(const MeasurementTable& table);

/// Whether it is what write_measurements() calls the column of a role, or of regions.
bool is_own_name(std::string_view name);

}  // namespace huddle
