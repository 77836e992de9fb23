#pragma once

// The output of huddle forecast: for people, and for programs as docs/formats/forecast.md says.

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/program/program_forecast.hpp"
#include "aggregator/forecast/screening.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/toep/published_method.hpp"

namespace huddle::cli {

/// The factors that the rows have columns for; of others 1 stands in configurations, which means
/// nothing.
struct KnownFactors {
  bool size = true;
  bool frequency = true;
  bool nodes = false;
  bool packages = false;
};

/// The answer of huddle forecast: the rows that were read and screened, and the findings.
struct ForecastAnswer {
  std::vector<std::string> files;
  forecast::MeasurementReading reading;
  forecast::Screening screening;
  std::vector<std::string> regions;
  std::size_t sizes = 0;           ///< different problem sizes
  std::size_t configurations = 0;  ///< different in anything but the size
  bool layouts = false;            ///< whether nodes or packages differ among these
  std::vector<forecast::MethodStudy>
      studies;  ///< energy, time: those that are there; none with --at
  KnownFactors known;
  std::vector<forecast::ForecastAt> forecasts;  ///< by --at, in their order
  /// The measurements that would teach most, the first one most; none without --at.
  std::vector<forecast::ForecastAt> next;
  /// One sentence each, for people: what could not be found out, and why ("48 rows are too few
  /// ...").
  std::vector<std::string> remarks;
};

/// "size 4096, 4 x 16, 2.4 GHz".
std::string text_of(const forecast::Configuration& where, KnownFactors known);

/// The result and how far to trust it, for people, a line for each sentence; at least one.
std::vector<std::string> verdict_of(const ForecastAnswer& answer);

/// Tables and sentences for people, the verdict first.
std::string forecast_text(const ForecastAnswer& answer);

/// One object of JSON, with a line end.
std::string forecast_json(const ForecastAnswer& answer);

}  // namespace huddle::cli
