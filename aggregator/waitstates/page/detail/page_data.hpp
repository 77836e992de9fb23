#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aggregator/waitstates/page/wait_page.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// A line of the page's system tree and of its timeline: a location, or several consecutive ones
/// put together.
struct PageRow {
  std::uint32_t first_rank = 0;
  std::uint32_t last_rank = 0;
  std::uint32_t thread = 0;
  std::uint32_t node = 0;  ///< an index of PageRows::nodes
  std::vector<std::uint32_t> locations;
};

struct PageRows {
  std::vector<PageRow> rows;  ///< by rank, thread
  std::vector<std::uint32_t> row_of_location;
  std::vector<std::string> nodes;  ///< one without a name if the trace has none
  std::size_t together = 1;        ///< how many locations a row holds at most
};

/// At most `most_rows` rows, at least 1.
PageRows rows_of(const WaitReport& report, std::size_t most_rows);

/// The report's timeline, or null if it has none: `bins`, `binTicks`, where the first one begins
/// (`begin`, ticks of the run), and `cells`, three bytes for each row and
/// bin in base 64: the share in MPI (or in OpenMP's barriers) and the share of waiting, from 0 to
/// 255, and the pattern that most of the waiting is of (its number; 255: none).
nlohmann::ordered_json page_timeline(const WaitReport& report, const PageRows& rows);

/// Row, begin and end in ticks of each interval, one after the other.
nlohmann::ordered_json page_critical_path(const WaitReport& report, const PageRows& rows,
                                          const std::vector<PageInterval>& intervals);

/// What the page's script reads. Numbers by call path and row stand in a flat array of runs: call
/// path, first row, how many rows, and as many numbers. Throws Error if the report's entries name
/// what it does not have.
nlohmann::ordered_json page_data(const WaitReport& report, const PageExtras& extras,
                                 const PageRows& rows);

}  // namespace huddle::waitstates
