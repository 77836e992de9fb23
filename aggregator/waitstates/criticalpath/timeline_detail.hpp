#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// A message between the first threads of two ranks. Ticks since the report's begin.
struct TimelineMessage {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t sent = 0;      ///< begin of the call that sent it
  std::uint64_t received = 0;  ///< end of the call that received it, or completed the receive
  std::uint64_t waiting = 0;   ///< from the begin of that call until `sent`; 0 if that was earlier
  friend bool operator==(const TimelineMessage&, const TimelineMessage&) = default;
};

/// Consecutive bins of the report's timeline in which a rank's first thread spent most of the time
/// in one call path, of MPI or not.
struct TimelineFunction {
  std::uint32_t rank = 0;
  std::uint32_t first_bin = 0;
  std::uint32_t bins = 0;
  std::uint32_t call_path = 0;  ///< of the report
  friend bool operator==(const TimelineFunction&, const TimelineFunction&) = default;
};

/// What a timeline shows beside the shares of its bins.
struct TimelineDetail {
  /// By `sent`. If there are more than asked for, those whose receivers waited longest, and of the
  /// rest some at random.
  std::vector<TimelineMessage> messages;
  std::uint64_t all_messages = 0;
  std::vector<TimelineFunction> functions;  ///< by rank, bin
};

/// Time grows with the log, memory with `most_messages` and the timeline. `report` has a timeline,
/// or there are no functions.
TimelineDetail timeline_detail_of(const ActivityLog& log, const WaitReport& report,
                                  std::size_t most_messages);

}  // namespace huddle
