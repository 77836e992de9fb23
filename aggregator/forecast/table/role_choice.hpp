#pragma once

// Internal to the reader of measured rows.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/column_sample.hpp"
#include "aggregator/forecast/table/file_header.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_units.hpp"
#include "aggregator/forecast/table/tool_dump.hpp"

namespace huddle {

/// The unit that a column's plain numbers are in.
struct ColumnUnit {
  /// None: what it gives is no unit of the dimension that was asked for.
  std::optional<MeasurementUnit> unit;
  std::string text;
  /// Nobody said it.
  bool granted = false;
};

/// The columns of a file that have a role.
struct RoleChoice {
  /// By role: indices of columns; several are added up. Empty: none.
  std::array<std::vector<std::size_t>, 6> columns;
  std::array<std::vector<ColumnUnit>, 6> units;
  std::optional<std::size_t> region;
  /// By column: why it is neither a role's nor a variable; empty otherwise.
  std::vector<std::string> ignored;
  std::vector<std::string> remarks;

  [[nodiscard]] bool is_taken(std::size_t column) const;
};

/// The column that an option names: as it stands in the header, or without its unit. Throws
/// UsageError if there is none.
std::size_t named_column(const FileHeader& header, std::string_view name);

/// The unit of a column, of `dimension`: what the options say, else the header, else the cells. If
/// none does, the one that is likely, and `granted`.
ColumnUnit unit_of(const FileHeader& header, const ColumnSample& sample, std::size_t column,
                   Dimension dimension, const MeasurementCsvOptions& options);

/// Throws as plan_columns().
RoleChoice choose_roles(const FileHeader& header, const std::vector<ColumnSample>& samples,
                        const ToolDump& dump, const MeasurementCsvOptions& options);

}  // namespace huddle
