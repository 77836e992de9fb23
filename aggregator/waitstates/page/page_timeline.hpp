#pragma once

// Internal to the page: brings nlohmann/json.

#include <nlohmann/json.hpp>
#include <vector>

#include "aggregator/waitstates/page/page_rows.hpp"
#include "aggregator/waitstates/page/wait_page.hpp"

namespace huddle {

/// The report's timeline, or null if it has none: `bins`, `binTicks`, where the first one begins
/// (`begin`, ticks of the run), and `cells`, three bytes for each row and
/// bin in base 64: the share in MPI (or in OpenMP's barriers) and the share of waiting, from 0 to
/// 255, and the pattern that most of the waiting is of (its number; 255: none).
nlohmann::ordered_json page_timeline(const WaitReport& report, const PageRows& rows);

/// Row, begin and end in ticks of each stretch, one after the other.
nlohmann::ordered_json page_critical_path(const WaitReport& report, const PageRows& rows,
                                          const std::vector<PageStretch>& stretches);

}  // namespace huddle
