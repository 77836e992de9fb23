#pragma once

// The configurations that --at asks for.

#include <optional>
#include <string>

#include "aggregator/commands/forecast/rows_options.hpp"
#include "aggregator/forecast/program/best_configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// A configuration of --at; factors that it does not name are absent.
struct AskedConfiguration {
  std::string text;
  std::optional<double> size;
  std::optional<double> processes;
  std::optional<double> threads;
  std::optional<double> frequency_ghz;
  std::optional<double> nodes;
  std::optional<double> ranks_per_node;
  std::optional<double> packages;
};

/// Throws UsageError if the text is not as the help of --at says.
AskedConfiguration parse_configuration(const std::string& text);

/// A factor that was not named has the value that all rows have; packages also what the machine
/// says, or the only number that is possible. Throws UsageError if rows have several values, if a
/// factor is named that they have no column for, or if the machine is known and has no place for
/// that.
Configuration completed(const AskedConfiguration& asked, const RowsRead& read);

/// Whether rows say how many nodes their runs were on.
bool has_nodes(const MeasurementTable& rows);

}  // namespace huddle
