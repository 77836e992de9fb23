#pragma once

// Internal to the reader of measured rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// Puts rows into a table that never has more than a number of them. Owned by one thread.
class TableFilling {
 public:
  /// `columns` without values. At least one row is kept.
  TableFilling(std::vector<MeasuredColumn> columns, const MeasurementCsvOptions& options);

  /// `values` has one for each column. Throws Error if there are too many regions to name.
  void add(std::string_view region, const std::vector<double>& values);

  [[nodiscard]] std::uint64_t stride() const { return stride_; }
  /// The table, with those regions only that have rows. The filling is empty afterwards.
  MeasurementTable take();

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::uint32_t number_of(std::string_view region);
  void thin();
  void drop_empty_regions();

  MeasurementTable table_;
  std::vector<std::uint64_t> lots_;  // of the table's rows
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> numbers_;
  std::size_t name_bytes_ = 0;
  std::uint64_t most_rows_;
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

}  // namespace huddle
