#include "aggregator/forecast/screening/detail/checks.hpp"

#include <algorithm>
#include <numeric>

namespace huddle {
namespace {

std::vector<const std::vector<double>*> columns_of(const MeasurementTable& rows,
                                                   std::initializer_list<ColumnRole> roles) {
  std::vector<const std::vector<double>*> columns;
  for (const ColumnRole role : roles)
    if (const MeasuredColumn* column = rows.find(role)) columns.push_back(&column->values);
  return columns;
}

}  // namespace

std::vector<std::size_t> rows_in_order(const MeasurementTable& rows, bool by_region,
                                       std::initializer_list<ColumnRole> roles) {
  const auto columns = columns_of(rows, roles);
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t left, std::size_t right) {
    if (by_region && rows.region[left] != rows.region[right])
      return rows.region[left] < rows.region[right];
    for (const auto* values : columns)
      if ((*values)[left] != (*values)[right]) return (*values)[left] < (*values)[right];
    return left < right;
  });
  return order;
}

std::vector<std::pair<std::size_t, std::size_t>> groups_in(
    const MeasurementTable& rows, const std::vector<std::size_t>& order, bool by_region,
    std::initializer_list<ColumnRole> roles) {
  const auto columns = columns_of(rows, roles);
  const auto are_alike = [&](std::size_t left, std::size_t right) {
    return (!by_region || rows.region[left] == rows.region[right]) &&
           std::ranges::all_of(
               columns, [&](const auto* values) { return (*values)[left] == (*values)[right]; });
  };
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && are_alike(order[begin], order[end])) ++end;
    groups.emplace_back(begin, end);
    begin = end;
  }
  return groups;
}

}  // namespace huddle
