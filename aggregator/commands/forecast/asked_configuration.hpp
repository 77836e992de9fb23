#pragma once

#include <optional>
#include <string>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// What --at says; factors that it does not name are absent.
struct AskedConfiguration {
  std::string text;
  std::optional<double> size;
  std::optional<double> processes;
  std::optional<double> threads;
  std::optional<double> frequency_ghz;
};

/// "size=16384,processes=4,threads=8,frequency=2.7GHz", each once at most. Throws UsageError.
AskedConfiguration parse_configuration(const std::string& text);

/// A factor that was not named has the value that all rows have. Throws UsageError if they have
/// several, or if a factor is named that the rows do not tell.
Configuration completed(const AskedConfiguration& asked, const MeasurementTable& rows);

}  // namespace huddle
