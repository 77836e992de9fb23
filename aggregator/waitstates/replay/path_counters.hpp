#pragma once

// The counters of a trace by call path.

#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/counters.hpp"

namespace huddle {

/// Adds what the trace's counters showed to its report: counters, counts, and a remark on those
/// that belong to no location. An amount between two readings of a location is shared among the
/// call paths that it was in, by time; with a reading at each begin and end of a region that is one
/// call path. Nothing is counted before the first reading. Levels become means over time, each
/// value holding until the next. Reads all events once more. `report` is the analysis' own.
void add_path_counters(WaitReport& report, CounterTrace& trace);

}  // namespace huddle
