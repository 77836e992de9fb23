#pragma once

// Internal to screen().

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// The indices of all rows, by region and then by the values of these columns (those that are
/// there), in this order; equal rows in their own order.
std::vector<std::size_t> rows_in_order(const MeasurementTable& rows, bool by_region,
                                       std::initializer_list<ColumnRole> roles);

/// The runs of such an order that are equal in these columns (and in their region, if `by_region`):
/// each as the place of its first row and of the one behind its last.
std::vector<std::pair<std::size_t, std::size_t>> groups_in(const MeasurementTable& rows,
                                                           const std::vector<std::size_t>& order,
                                                           bool by_region,
                                                           std::initializer_list<ColumnRole> roles);

}  // namespace huddle
