#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/waitstates/criticalpath/run_study.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// Another measure of the page, by call path and location, beside those of the report: its entries
/// and its parts' add up to it.
struct PageMeasure {
  struct Entry {
    std::uint32_t call_path = 0;  ///< CallPath::kRoot: no region is known
    std::uint32_t location = 0;
    std::uint64_t ticks = 0;
  };
  std::string title;        ///< "On the critical path"
  std::string explanation;  ///< a sentence
  std::vector<Entry> entries;
  std::vector<PageMeasure> parts = {};  ///< measures of their own, shown below it
};

/// What is drawn over the timeline: one location at a time, such as the critical path.
struct PageInterval {
  std::uint32_t location = 0;
  std::uint64_t begin = 0;  ///< ticks since the report's begin
  std::uint64_t end = 0;
};

struct PageExtras {
  std::vector<PageMeasure> measures;
  std::vector<PageInterval> critical_path;
};

/// What the page shows of a study.
PageExtras page_extras_of(const RunStudy& study, const WaitReport& report);

struct PageOptions {
  /// Locations times call paths that the page holds numbers of. With more, consecutive locations
  /// are put together, and the page says so.
  std::size_t most_cells = 1'000'000;
  /// Lines of ranks, for the same.
  std::size_t most_rows = 4096;
};

/// A page of HTML that shows a report in a browser: metrics, call tree and ranks side by side, and
/// the timeline if the report has one. It needs nothing but itself. Names of regions, ranks and
/// nodes are shown as text, whatever they are. Throws Error if the report's entries name what it
/// does not have.
std::string wait_page(const WaitReport& report, const PageExtras& extras = {},
                      const PageOptions& options = {});

}  // namespace huddle::waitstates
