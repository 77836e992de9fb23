#pragma once

// The analysis of a trace's wait states.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "aggregator/waitstates/energy/power_states.hpp"
#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle::waitstates {

/// In a longer time between two polls a program is taken to do work of its own.
inline constexpr double kPollingPause = 20e-6;

struct AnalysisOptions {
  PowerStates power;
  /// Bins of the timeline; 0: none.
  std::size_t timeline_bins = 0;
  /// Seconds: polls that find nothing, one after the other from one place, are one call if no more
  /// than this is between two of them. 0: none.
  double polling_pause = kPollingPause;
  /// That many threads read and replay; the report is the same for any number.
  std::size_t threads = 1;
  /// Receives the activities of all ranks; may be null. Not owned.
  ActivitySink* activities = nullptr;
  /// Called now and then with the share of events read, 0 to 1.
  std::function<void(double)> progress;
  /// Events that a location replays before others have their turn, at least 1. The report is the
  /// same for any number.
  std::size_t turn = 1024;
};

/// Replays `trace`: finds every wait state, by pattern, call path and location. Memory grows with
/// the number of locations, call paths and messages in flight, not with the trace's length. Throws
/// FormatError for what can't be read at all; a trace that ends early gives a report with
/// anomalies.
WaitReport analyse_wait_states(traces::Trace& trace, const AnalysisOptions& options);

}  // namespace huddle::waitstates
