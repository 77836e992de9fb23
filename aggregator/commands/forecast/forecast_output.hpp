#pragma once

// What huddle forecast prints.

#include <string>
#include <vector>

#include "aggregator/forecast/forecast_report.hpp"
#include "aggregator/forecast/program_forecast.hpp"
#include "aggregator/forecast/table/measurement_table.hpp"

namespace huddle {

/// Factors that the rows tell; of others 1 stands in configurations, which means nothing.
struct FactorsTold {
  bool size = true;
  bool frequency = true;
};

/// A report, and what --at asked for.
struct ForecastAnswer {
  ForecastReport report;
  FactorsTold told;
  std::vector<ForecastAt> forecasts;
};

/// How many different problem sizes there are; 1 without a column of them.
std::size_t count_sizes(const MeasurementTable& rows);
/// How many different processes x threads x frequency.
std::size_t count_configurations(const MeasurementTable& rows);

/// All of it for people.
std::string forecast_text(const ForecastAnswer& answer);
/// What was read and what was left out, and why.
std::string rows_text(const ForecastReport& report);
/// Importance and samplings for one target.
std::string method_text(const MethodStudy& study);
/// How well models predicted what was held out, with what each number means.
std::string validation_text(const Validation& validation);

/// For programs: docs/formats/forecast.md.
std::string forecast_json(const ForecastAnswer& answer);

}  // namespace huddle
