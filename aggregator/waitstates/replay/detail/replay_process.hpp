#pragma once

// The part of a replay that one process of an analysis does: its ranks, and their messages to and
// from other processes.

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/detail/collective_matcher.hpp"
#include "aggregator/waitstates/replay/detail/departures.hpp"
#include "aggregator/waitstates/replay/detail/lock_keepers.hpp"
#include "aggregator/waitstates/replay/detail/message_router.hpp"
#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle {

/// Which process of an analysis replays which rank: neighbours together, because they communicate
/// most.
struct RankShares {
  std::uint32_t ranks = 0;
  std::uint32_t processes = 1;

  [[nodiscard]] std::uint32_t process_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(std::uint64_t{rank} * processes / ranks);
  }
};

/// Replays the ranks of one process: of the locations that can go on, always the one that is
/// furthest behind. So about as many messages are in flight as there were in the program.
class ReplayProcess : private ReplayMessageRoute {
 public:
  /// All live longer than this. `sink` may be null. `polling_pause`: ticks, as AnalysisOptions has
  /// it.
  ReplayProcess(Trace& trace, Exchange& exchange, const WaitCost& cost, const MeasuredPower& power,
                ActivitySink* sink, std::uint64_t polling_pause, std::size_t threads);

  /// The first event of any process, in raw ticks; 0 without events. Collective.
  std::uint64_t first_time();

  /// To the end. Collective. `begin` is the report's; `progress` may be empty.
  void run(std::uint64_t begin, const TimelineAxis& axis,
           const std::function<void(double)>& progress);

  /// Of this process, in the order of their indices; null: of another one.
  [[nodiscard]] const std::vector<std::unique_ptr<ReplayLocation>>& locations() const {
    return locations_;
  }
  [[nodiscard]] const TraceAnomalies& anomalies() const { return context_.anomalies; }

 private:
  void send(const ReplayMessage& message) override;
  void deliver(const ReplayMessage& message);
  void ready(std::uint32_t location);
  [[nodiscard]] std::uint32_t process_for(const ReplayMessage& message) const;
  void step();
  bool resolve_standstill();
  bool widen_windows();
  bool release_hopeless();
  void release_least();
  void close();

  const TraceDefinitions& definitions_;
  Exchange& exchange_;
  RankShares shares_;
  ReadAhead reading_;
  Members members_;
  Mailboxes mailboxes_;
  TeamBarriers teams_;
  ReplayContext context_;
  CollectiveMatcher collectives_;
  Departures departures_;
  WindowLocks window_locks_;
  ThreadLocks thread_locks_;
  MessageRouter router_;
  std::vector<std::unique_ptr<ReplayLocation>> locations_;
  // Those that can go on, by time and index.
  using Turn = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> ready_;
};

}  // namespace huddle
