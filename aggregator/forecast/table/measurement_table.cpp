#include "aggregator/forecast/table/measurement_table.hpp"

#include <algorithm>
#include <array>

#include "profiles/import/column_words.hpp"

namespace huddle::forecast {
namespace {

constexpr std::array<std::string_view, 10> kRoleNames = {
    "size",           "processes", "threads", "frequency", "nodes",
    "ranks_per_node", "packages",  "time",    "energy",    "variable"};

// Moves what stays to the front; the rest of the memory is given back.
template <class Value>
void keep_values(std::vector<Value>& values, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];
  values.resize(rows.size());
  values.shrink_to_fit();
}

}  // namespace

std::string_view name_of(ColumnRole role) {
  return kRoleNames[static_cast<std::size_t>(role)];
}

const MeasuredColumn* MeasurementTable::find(ColumnRole role) const {
  const auto found = std::ranges::find(columns, role, &MeasuredColumn::role);
  return found == columns.end() ? nullptr : &*found;
}

const MeasuredColumn* MeasurementTable::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &MeasuredColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

bool says_exclusive(std::string_view name) {
  const std::string letters = imports::letters_of(name);
  return letters.find("excl") != std::string::npos || letters.ends_with("exc") ||
         letters.starts_with("self");
}

bool says_inclusive(std::string_view name) {
  const std::string letters = imports::letters_of(name);
  return letters.find("incl") != std::string::npos || letters.ends_with("inc");
}

void MeasurementTable::keep(const std::vector<std::size_t>& rows) {
  if (rows.size() == region.size()) return;
  keep_values(region, rows);
  for (MeasuredColumn& column : columns) keep_values(column.values, rows);
}

}  // namespace huddle::forecast
