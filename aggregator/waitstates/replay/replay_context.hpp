#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/replay/location_sums.hpp"
#include "aggregator/waitstates/replay/mailboxes.hpp"
#include "aggregator/waitstates/replay/members.hpp"
#include "aggregator/waitstates/replay/replay_message.hpp"
#include "aggregator/waitstates/replay/team_barriers.hpp"
#include "profiles/traces/trace.hpp"

namespace huddle {

/// Brings notices to where they belong, in this process or another one.
class ReplayMessageRoute {
 public:
  virtual ~ReplayMessageRoute() = default;
  virtual void tell(const ReplayMessage& notice) = 0;
};

/// What the locations of one process of the replay share.
struct ReplayContext {
  const TraceDefinitions& definitions;
  Members& members;
  Mailboxes& mailboxes;
  TeamBarriers& teams;
  ReplayMessageRoute& route;
  const WaitCost& cost;
  std::uint64_t begin = 0;         ///< of the report: activities are told relative to it
  ActivitySink* sink = nullptr;    ///< may be null
  FlatMap<std::uint64_t> numbers;  ///< of the next collective, by rank and subject
  /// As of the last time that nothing moved any more: nothing will come of these.
  std::vector<bool> ended_ranks;
  std::vector<bool> ended_locations;
  TraceAnomalies anomalies;
};

}  // namespace huddle
