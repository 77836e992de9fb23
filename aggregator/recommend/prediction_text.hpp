#pragma once

// A pattern's prediction in words: the same in plans' reasons, in decisions and in what commands
// print. A predicted time never stands alone: beside it is its interval, or that it has none.

#include <string>
#include <vector>

#include "aggregator/recommend/recommendation.hpp"
#include "profiles/formats/plan/plan.hpp"

namespace huddle::recommend {

/// "+0.6 % time (-0.5 to +2.1)". Where nothing shows how the ranks slow each other down:
/// "+0.6 % time (contention unknown)".
std::string change_text(const PatternForecast& forecast, const PatternForecast& reference);

/// The same with "predicted " before it.
std::string time_change_text(const PatternForecast& forecast, const PatternForecast& reference);

/// "+0.6 % time (-0.5 to +2.1), -71 % energy", where energies are known; where unused nodes sleep
/// or idle: "-71 % energy of the job, -30 % of the machine".
std::string energy_and_time_text(const PatternForecast& forecast, const PatternForecast& reference);

/// The same with "predicted " before it.
std::string prediction_text(const PatternForecast& forecast, const PatternForecast& reference);

/// The grounds of the predictions: one sentence each, for people. First what the chosen pattern's
/// does; then, if contention is unknown on some patterns, so; then a model's errors, if they are
/// beyond what jobs are planned by.
std::vector<std::string> coverage_notes(const Recommendation& recommendation);

}  // namespace huddle::recommend
