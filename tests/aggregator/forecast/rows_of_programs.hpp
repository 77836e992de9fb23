#pragma once

#include <string>
#include <vector>

#include "aggregator/forecast/table/measurement_table.hpp"
#include "tests/aggregator/forecast/laws/generated_program.hpp"

namespace huddle::forecast {

/// Rows with size, processes, threads, time, and energy as that of `watts`.
inline MeasurementTable rows_of(const GeneratedProgram& time, const Law& watts,
                                const std::string& region = "") {
  MeasurementTable table;
  table.regions = {region};
  table.region.assign(time.values.size(), 0);
  table.columns = {{ColumnRole::size, "Size", "", {}},
                   {ColumnRole::processes, "Procs", "", {}},
                   {ColumnRole::threads, "Threads", "", {}},
                   {ColumnRole::time, "Time", "s", {}},
                   {ColumnRole::energy, "Energy", "J", {}}};
  for (std::size_t i = 0; i < time.values.size(); ++i) {
    table.columns[0].values.push_back(time.where[i].size);
    table.columns[1].values.push_back(time.where[i].processes);
    table.columns[2].values.push_back(time.where[i].threads);
    table.columns[3].values.push_back(time.values[i]);
    table.columns[4].values.push_back(time.values[i] * watts(time.where[i]));
  }
  return table;
}

/// Adds the rows of another table with the same columns as a region of their own.
inline void add_region(MeasurementTable& table, const MeasurementTable& other) {
  table.regions.push_back(other.regions[0]);
  const auto number = static_cast<std::uint32_t>(table.regions.size() - 1);
  table.region.insert(table.region.end(), other.rows(), number);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    table.columns[i].values.insert(table.columns[i].values.end(), other.columns[i].values.begin(),
                                   other.columns[i].values.end());
}

}  // namespace huddle::forecast
