#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "aggregator/forecast/screening/screening.hpp"
#include "aggregator/forecast/table/measurement_csv.hpp"
#include "aggregator/forecast/toep/published_method.hpp"
#include "aggregator/forecast/validation/validation.hpp"

namespace huddle {

/// The results of huddle forecast: what was read and screened, and what was found for each target.
struct ForecastReport {
  std::vector<std::string> files;
  MeasurementReading reading;
  Screening screening;
  std::vector<std::string> regions;
  std::size_t sizes = 0;                ///< different problem sizes
  std::size_t configurations = 0;       ///< different in anything but the size
  bool layouts = false;                 ///< whether nodes or packages differ among these
  std::vector<MethodStudy> studies;     ///< energy, time: those that are there
  std::vector<Validation> validations;  ///< the same
  /// One sentence each, for people: what could not be found out, and why ("48 rows are too few
  /// ...").
  std::vector<std::string> remarks;
};

}  // namespace huddle
