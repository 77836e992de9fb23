#pragma once

// Internal to the reader of measured rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/column_plan.hpp"
#include "aggregator/forecast/table/file_header.hpp"

namespace huddle {

enum class RowProblem : std::uint8_t {
  none,
  missing,
  not_finite,
  text,
  too_few,
  too_many,
  no_run,  ///< it is about something else
};

/// Reads records as a plan says. Owned by one thread.
class RowReader {
 public:
  /// Both must outlive it.
  RowReader(const FileHeader& header, const ColumnPlan& plan);

  /// Reads one record. `none`: region() and values() are its content.
  RowProblem read(std::string_view record);

  [[nodiscard]] std::string_view region() const { return region_; }
  /// One for each of the plan's columns.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Of a problem: the column where it is, and what is there.
  [[nodiscard]] std::size_t problem_column() const { return column_; }
  [[nodiscard]] const std::string& problem_text() const { return text_; }
  /// Of `no_run`: why, for people.
  [[nodiscard]] std::string_view problem_reason() const { return reason_; }

 private:
  RowProblem read_number(const PlannedField& field, std::string_view& rest, bool& more);
  RowProblem read_cell(const PlannedField& field, std::string_view cell);
  void keep_first_text(std::string_view cell);
  RowProblem read_region(std::string_view field);
  RowProblem read_filter(const PlannedField& field, std::string_view cell);
  RowProblem read_field(const PlannedField& field, std::string_view& rest, bool& more);
  void divide_threads();
  RowProblem check_end(std::string_view rest, bool more);

  const FileHeader& header_;
  const ColumnPlan& plan_;
  std::vector<double> values_;
  std::string region_;
  std::string buffer_;
  std::size_t column_ = 0;
  std::string text_;
  std::string_view reason_;
};

}  // namespace huddle
