#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/commands/common/command_line.hpp"
#include "aggregator/forecast/screening.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle::cli {

/// Files of measured rows and how to read them: ROWS, --column, --set, --keep-column, --region and
/// --least-share.
struct RowsOptions {
  std::vector<std::string> files;
  std::vector<std::string> columns;  ///< "ROLE=NAME" or "ROLE=NAME:UNIT"
  std::vector<std::string> values;   ///< "ROLE=VALUE"
  std::vector<std::string> kept_columns;
  std::vector<std::string> regions;
  std::optional<std::string> least_share;  ///< none: as RowsFor says

  /// Adds them to a command, which this object must outlive.
  void add_to(cli::App& command);

  /// Throws UsageError if an option is not as its help says, or if there is no file.
  [[nodiscard]] forecast::MeasurementCsvOptions csv_options() const;
};

/// Rows that are fit to learn from, and those that were left out on the way.
struct RowsRead {
  forecast::MeasurementTable table;
  forecast::MeasurementReading reading;
  forecast::Screening screening;
};

/// The purpose that rows are read for.
enum class RowsFor {
  regions,  ///< each region by itself: those that matter little are left out
  program   ///< the sum over all regions: small ones are part of it, and there may be many
};

/// Reads and screens, with progress on a terminal. Throws UsageError before anything is read; what
/// read_measurements() throws; Error if no row is left.
RowsRead read_rows(const RowsOptions& options, RowsFor purpose);

}  // namespace huddle::cli
