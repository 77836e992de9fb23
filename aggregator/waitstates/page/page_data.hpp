#pragma once

// Internal to the page: brings nlohmann/json.

#include <nlohmann/json.hpp>

#include "aggregator/waitstates/page/page_rows.hpp"
#include "aggregator/waitstates/page/wait_page.hpp"

namespace huddle {

/// What the page's script reads. Numbers by call path and row stand in a flat array of runs: call
/// path, first row, how many rows, and as many numbers. Throws Error if the report's entries name
/// what it does not have.
nlohmann::ordered_json page_data(const WaitReport& report, const PageExtras& extras,
                                 const PageRows& rows);

}  // namespace huddle
