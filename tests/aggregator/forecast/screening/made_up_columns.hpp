#pragma once

#include <string>
#include <utility>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// A table of one region, "", with these columns, all of one length.
inline MeasurementTable table_of(
    const std::vector<std::pair<ColumnRole, std::vector<double>>>& columns) {
  MeasurementTable table;
  table.regions = {""};
  for (const auto& [role, values] : columns) {
    table.region.assign(values.size(), 0);
    const std::string name = role == ColumnRole::variable
                                 ? "counter " + std::to_string(table.columns.size())
                                 : std::string(name_of(role));
    table.columns.push_back({role, name, "", values});
  }
  return table;
}

}  // namespace huddle
