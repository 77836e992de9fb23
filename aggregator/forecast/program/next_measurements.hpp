#pragma once

// Where to measure next: the runs that would teach most about configurations that were asked for.

#include <vector>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/program/program_forecast.hpp"

namespace huddle::forecast {

/// For each of `asked` that was not measured, the run that was not made either, the forecast of
/// which is the least certain: of the combinations of the measured values next to it, and, in a
/// factor that lies beyond those, of the value halfway there (as a logarithm), which costs less
/// than the run itself. Then the next least certain ones, up to three in all. None where all of
/// these were measured; none twice. Precondition: the program knows the factors that `asked` vary.
std::vector<ForecastAt> next_measurements(const ProgramForecast& program,
                                          const std::vector<Configuration>& asked);

}  // namespace huddle::forecast
