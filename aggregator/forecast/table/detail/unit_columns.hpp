#pragma once

// Columns that hold the units of others, row by row ("time_unit" of Google Benchmark, "Unit" of
// JMH).

#include <cstddef>
#include <optional>
#include <string_view>

#include "aggregator/forecast/table/detail/columns.hpp"

namespace huddle::forecast {

/// The unit in a cell, also of what is counted for each operation: "us", "ns/op".
std::optional<MeasurementUnit> unit_in_cell(std::string_view cell);

/// The column that holds the units of this one, whose numbers are of that dimension: "time_unit",
/// "unit". None if there is none.
std::optional<std::size_t> unit_column_of(const CsvHeader& header, std::size_t column,
                                          Dimension dimension);

}  // namespace huddle::forecast
