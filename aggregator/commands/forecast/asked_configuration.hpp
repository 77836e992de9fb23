#pragma once

// The configurations that --at asks for.

#include <optional>
#include <string>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::cli {

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

/// A factor that was not named has the value that all rows have; packages also the only number that
/// is possible. Throws UsageError if rows have several values, or if a factor is named that they
/// have no column for.
forecast::Configuration completed(const AskedConfiguration& asked,
                                  const forecast::MeasurementTable& rows);

/// True if rows say how many nodes their runs were on.
bool has_nodes(const forecast::MeasurementTable& rows);

}  // namespace huddle::cli
