#pragma once

// Why ranks waited: who was late, and in which call path (delay analysis, after Boehme et al.,
// "Identifying the root causes of wait states in large-scale parallel applications", ACM TOPC 3,
// 2016).

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// Waiting that the excess of time of a rank in a call path cost others. Time in no known
/// region has the call path CallPath::kRoot.
struct DelayCost {
  std::uint32_t call_path = 0;  ///< of the report
  std::uint32_t rank = 0;
  double short_term = 0;  ///< ticks that others waited for this rank itself
  /// Ticks that ranks waited for one that had waited itself, and so on back to this delay.
  double long_term = 0;

  friend bool operator==(const DelayCost&, const DelayCost&) = default;
};

/// The causes of all waiting in a log.
struct DelayReport {
  /// Costs by call path, rank. `short_term` and `long_term` of all add up to `waiting`.
  std::vector<DelayCost> costs;
  /// Ticks in MPI until a partner had come, of ranks' first threads.
  std::uint64_t waiting = 0;
};

/// Goes through the waits of a log, the last first. A wait of rank r for rank s is compared from
/// where the two last met (a message between them, or a collective of both in which all wait for
/// all) on: each call path in which s spent more than r there, MPI's included, was late by that
/// excess, and so was s by each of its own waits. The waiting is shared among them in proportion:
/// the excesses' parts are their short-term costs; the waits' parts are passed on to what these
/// waited for, and end as long-term costs. Where s exceeded r nowhere, all of its time there
/// counts. Where the two have not met for kFarthest calls, what is compared begins at one time for
/// both. Threads of OpenMP are not followed. Time grows with the calls between two meetings, memory
/// with the number of call paths; temporary files grow with the log. Throws SystemError.
DelayReport delays_of(const ActivityLog& log);

}  // namespace huddle::waitstates
