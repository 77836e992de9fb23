#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "aggregator/forecast/laws/configuration.hpp"
#include "aggregator/forecast/laws/interval_widths.hpp"

namespace huddle::forecast {

/// Distances that the logarithm may lie below and above a predicted one.
struct Reach {
  double below = 0;
  double above = 0;
};

enum class ForecastTarget : unsigned char { time, energy };

/// Changes that are possible where more cores, nodes or packages are used than in any measured row,
/// and no row tells: another socket with its power and its memory, second threads of cores,
/// memory's bandwidth that is used up, memory that is farther. `log_at` is the law's logarithm. The
/// numbers hold 9 of 10 on made-up tables (tests/evaluation/forecast_tables; docs/evaluation.md).
/// Nothing, 0 and 0, where no more are used. `with_size`: the factors that grew with the size in
/// the rows, as in weak scaling: a larger size counts as the work of so many more.
Reach reach_of_more_cores(const Levels& levels, const Factors& where,
                          const std::array<bool, kFactors>& with_size, ForecastTarget target,
                          const std::function<double(const Factors&)>& log_at);

/// Neither narrower than any measurement repeats, wider the farther beyond the measured values, nor
/// wider than what says anything. `reach`: as found.
Reach bounded(Reach reach, const Levels& levels, const Factors& where);

/// Why an interval says nothing, as a sentence that begins with "can't be predicted from these
/// rows, because"; empty if it does say something. `beyond`: whether the place lies beyond what was
/// measured in a combination of factors.
std::string why_not_told(const Estimate& estimate, const Levels& levels, const Factors& where,
                         bool apart);

}  // namespace huddle::forecast
