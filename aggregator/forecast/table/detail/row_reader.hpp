#pragma once

// Rows of a file as numbers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/detail/columns.hpp"

namespace huddle::forecast {

/// Problems of a row: of several the last one here is reported; of equal ones the first.
enum class RowProblem : std::uint8_t { none, missing, text, unit, too_few, too_many };

/// Reads records as a plan says.
class RowReader {
 public:
  /// Both must outlive it.
  RowReader(const CsvHeader& header, const ColumnPlan& plan);

  /// Reads one record. `none`: region() and values() are its content.
  RowProblem read(std::string_view record);

  [[nodiscard]] std::string_view region() const { return region_; }
  /// The JobID of a file of sacct; else empty.
  [[nodiscard]] const std::string& job() const { return job_; }
  /// One for each of the plan's columns.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// A problem's column, and the cell there.
  [[nodiscard]] std::size_t problem_column() const { return column_; }
  [[nodiscard]] const std::string& problem_text() const { return text_; }

 private:
  // A number whose unit stands in another column of the row.
  struct Waiting {
    const FileColumn* column;
    double number;
  };

  void note(RowProblem problem, std::size_t column, RowProblem& worst);
  RowProblem read_field(std::size_t at, std::string_view& rest, bool& more);
  bool read_plain_number(const FileColumn& column, std::string_view& rest, bool& more);
  RowProblem read_number(const FileColumn& column, std::string_view cell);
  RowProblem convert(const Waiting& waiting);
  RowProblem add(const FileColumn& column, const MeasurementUnit& unit, double number);

  const CsvHeader& header_;
  const ColumnPlan& plan_;
  std::vector<double> values_;
  std::vector<std::string> units_;  // by column of the file
  std::vector<Waiting> waiting_;
  std::string last_unit_text_;  // most rows have the unit of the row before
  std::optional<MeasurementUnit> last_unit_;
  std::string region_;
  std::string job_;
  std::string buffer_;
  std::size_t column_ = 0;
  std::string_view cell_;  // that was read last
  std::string text_;
};

}  // namespace huddle::forecast
