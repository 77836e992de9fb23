#pragma once

#include <string>
#include <vector>

#include "profiles/formats/plan/plan.hpp"

namespace huddle::cli {

/// The ranked patterns as a table: the reference on top, the chosen one marked, each with its
/// interval (in words, if it says nothing) and what shows how its ranks slow each other down.
std::string pattern_table(const PatternForecast& reference,
                          const std::vector<PatternForecast>& ranked, bool first_is_chosen);

/// The same of a plan: chosen first, then the runners-up.
std::string pattern_table(const Plan& plan);

}  // namespace huddle::cli
