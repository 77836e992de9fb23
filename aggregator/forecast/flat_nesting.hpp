#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "aggregator/forecast/outermost_regions.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// A region that contains all others, found by values.
struct FlatNesting {
  std::optional<std::uint32_t> root;
  ContainedBy known_by = ContainedBy::whole_program;
  /// Configurations with several regions.
  std::size_t configurations = 0;
  /// A sentence for people if it can't be told; else empty.
  std::string remark;
};

/// Looks for one in the rows of `column`, time or energy. Precondition: the column is of the table,
/// and its name does not say that it is exclusive.
FlatNesting find_containing_region(const MeasurementTable& table, const MeasuredColumn& column);

/// Whether a region has at least as much of `column` as any other one, in most configurations.
bool is_largest(const MeasurementTable& table, const MeasuredColumn& column, std::uint32_t region);

/// The column of exclusive times beside that of the times; null if there is none.
const MeasuredColumn* exclusive_times(const MeasurementTable& table);

/// Whether the name says that what is inside does not count, or that it does.
bool says_exclusive(const std::string& column);
bool says_inclusive(const std::string& column);

}  // namespace huddle
