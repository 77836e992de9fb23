#pragma once

// Internal to the reader of measured rows.

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/table/file_header.hpp"

namespace huddle {

/// What the first rows have in one column.
struct ColumnSample {
  std::size_t numbers = 0;
  std::size_t missing = 0;    ///< or not finite
  std::size_t durations = 0;  ///< such as "1-02:03:04", which no number is
  std::size_t texts = 0;
  /// Whether the first text looks like a number that isn't understood.
  bool begins_with_digit = false;
  /// How many texts differ.
  std::size_t different_texts = 0;
  /// What stands behind the first number that has something behind it.
  std::string suffix;
  std::size_t bare = 0;  ///< numbers with nothing behind them
  /// Whether different things stand behind all numbers, not all of them known.
  bool odd_suffixes = false;
  /// One for each row, as they stand there, but for durations, in s, and thousands that are left
  /// away ("12.5K"); NaN where there is no number.
  std::vector<double> values;

  [[nodiscard]] bool is_text() const { return texts > 0 && numbers == 0; }
  /// Mostly nothing: as a variable it would cost more rows than it tells.
  [[nodiscard]] bool is_mostly_missing() const { return missing > numbers + texts; }
  /// Of the absolute values; 0 without numbers.
  [[nodiscard]] double median() const;
};

/// One for each name of the header.
std::vector<ColumnSample> sample_columns(const FileHeader& header);

/// Whether `factor` times the one is the other in all rows that have both, within 0.1 %,
/// or as exactly as numbers are written that leave thousands away ("1.23K").
bool are_proportional(const ColumnSample& left, double factor, const ColumnSample& right);

}  // namespace huddle
