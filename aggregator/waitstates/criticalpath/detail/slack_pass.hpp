#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/detail/log_replay.hpp"
#include "aggregator/waitstates/criticalpath/temporary_file.hpp"

namespace huddle::waitstates {

/// How much later activities could begin. Two kinds of limits, both by a walk backwards through the
/// dependencies of a replay with nothing changed:
/// - the latest begin that leaves the run as long as it is, everything behind being as late as it
///   can;
/// - the latest begin that leaves every other activity's end as it is. If every activity begins
/// that
///   late, still none ends later: a schedule that keeps all dependencies, and so what it leaves for
///   each computation may be used by all at once.
/// Temporary files grow with the log's length. Not thread-safe.
class SlackPass {
 public:
  /// Throws SystemError.
  SlackPass(const ActivityLog& log, const Replay& unchanged);

  /// By how much the computation before `activity` of `rank`, or behind the last one with
  /// first_of(rank + 1), could grow if it alone did.
  [[nodiscard]] std::uint64_t total(std::uint32_t rank, std::uint64_t activity) const;
  /// By how much it may grow whatever the others do within theirs.
  [[nodiscard]] std::uint64_t apportioned(std::uint32_t rank, std::uint64_t activity) const;

 private:
  struct Limits {
    std::uint64_t latest;  // of all that is waited for here, the least; kept as UINT64_MAX - time,
    std::uint64_t free;    // so that a new array has no limits
  };
  void end(std::uint32_t rank, std::uint64_t activity);
  void begin(std::uint32_t rank, std::uint64_t activity);
  void limit_what_it_waits_for(std::uint64_t activity, const Limits& limits);
  void limit_by_instance(const ActivityLink& link, Limits& limits) const;

  const ActivityLog& log_;
  const Replay& replay_;
  DiskArray<Limits> begins_;               // by activity
  DiskArray<Limits> collectives_;          // of all members, or of the root
  DiskArray<Limits> scans_;                // by place
  std::vector<std::uint64_t> latest_end_;  // by rank: of the activity that the walk is at
};

}  // namespace huddle::waitstates
