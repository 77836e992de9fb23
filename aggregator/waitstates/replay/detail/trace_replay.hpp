#pragma once

// The replay of a whole trace: whose turn it is, and what locations report to each other.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/analysis.hpp"
#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"
#include "aggregator/waitstates/replay/detail/lock_keepers.hpp"
#include "aggregator/waitstates/replay/detail/merged_report.hpp"
#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {

/// Replays a trace: of the locations that can go on, always the one that is furthest behind. So
/// about as many messages are in flight as there were in the program.
class TraceReplay : private ReplayMessageRoute {
 public:
  /// All live longer than this.
  TraceReplay(traces::Trace& trace, const WaitCost& cost, const MeasuredPower& power,
              const AnalysisOptions& options);

  /// The first event, in raw ticks; 0 without events.
  std::uint64_t first_time();

  /// To the end. `begin` is the report's.
  void run(std::uint64_t begin, const TimelineAxis& axis);

  /// Once it is over; leaves nothing behind.
  ReplayFindings take_findings();

 private:
  void send(const ReplayMessage& message) override;
  void ready(std::uint32_t location);
  void step();
  bool resolve_standstill();
  bool widen_windows();
  bool release_hopeless();
  void release_least();
  void close();

  const traces::TraceDefinitions& definitions_;
  const AnalysisOptions& options_;
  ReadAhead reading_;
  Members members_;
  Mailboxes mailboxes_;
  TeamBarriers teams_;
  ReplayContext context_;
  CollectiveMatcher collectives_;
  WindowLocks window_locks_;
  ThreadLocks thread_locks_;
  std::deque<ReplayLocation> locations_;
  // Those that can go on, by time and index.
  using Turn = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> ready_;
};

}  // namespace huddle::waitstates
