#pragma once

// Internal to the reader of measured rows.

#include <string>
#include <vector>

#include "aggregator/forecast/table/column_sample.hpp"
#include "aggregator/forecast/table/file_header.hpp"
#include "aggregator/forecast/table/row_filter.hpp"

namespace huddle {

/// What is to be known of a table because of the tool that wrote it.
struct ToolDump {
  /// One for each column.
  std::vector<RowFilter> filters;
  /// By column: what its name seems to say is not so.
  std::vector<bool> means_nothing;
  /// The column of threads holds the CPUs of all processes together.
  bool cpus_of_all_processes = false;
  /// For people; see MeasurementReading::remarks.
  std::vector<std::string> remarks;
};

/// Recognises Slurm's sacct, APEX and Cube by their headers and first rows, and, whoever wrote
/// them, rows of single ranks or threads.
ToolDump recognise_dump(const FileHeader& header, const std::vector<ColumnSample>& samples);

}  // namespace huddle
