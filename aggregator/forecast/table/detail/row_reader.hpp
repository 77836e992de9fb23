#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/detail/columns.hpp"

namespace huddle {

/// Of several problems of a row the last one here is reported; of equal ones the first.
enum class RowProblem : std::uint8_t {
  none,
  missing,
  not_finite,
  text,
  no_run,  ///< it is about something else
  too_few,
  too_many,
};

/// Reads records as a plan says. Owned by one thread.
class RowReader {
 public:
  /// Both must outlive it.
  RowReader(const CsvHeader& header, const ColumnPlan& plan);

  /// Reads one record. `none`: region() and values() are its content.
  RowProblem read(std::string_view record);

  [[nodiscard]] std::string_view region() const { return region_; }
  /// One for each of the plan's columns.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Of a problem: the column where it is, and the cell there, or of `no_run` why, for people.
  [[nodiscard]] std::size_t problem_column() const { return column_; }
  [[nodiscard]] const std::string& problem_text() const { return text_; }

 private:
  RowProblem read_field(const FileColumn& column, std::string_view& rest, bool& more);
  bool read_plain_number(const FileColumn& column, std::string_view& rest, bool& more);
  RowProblem read_number(const FileColumn& column, std::string_view cell);
  RowProblem add(const FileColumn& column, double value);
  [[nodiscard]] bool is_complete(std::size_t fields) const;

  const CsvHeader& header_;
  const ColumnPlan& plan_;
  std::vector<double> values_;
  std::string region_;
  std::string buffer_;
  std::size_t column_ = 0;
  std::string_view cell_;  // that was read last
  std::string text_;
};

}  // namespace huddle
