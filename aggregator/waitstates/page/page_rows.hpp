#pragma once

// Internal to the page.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

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
  std::vector<std::string> nodes;  ///< one of no name if the trace tells none
  std::size_t together = 1;        ///< how many locations a row holds at most
};

/// At most `most_rows` rows, at least 1.
PageRows rows_of(const WaitReport& report, std::size_t most_rows);

}  // namespace huddle
