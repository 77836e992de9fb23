#pragma once

// Where two ranks have last met before one waited for the other.

#include <cstdint>
#include <unordered_map>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"
#include "aggregator/waitstates/criticalpath/detail/look_back.hpp"

namespace huddle::waitstates {

/// From where on two ranks can be compared: the first activity of each behind their meeting.
struct Meeting {
  std::uint64_t of_waiting = 0;
  std::uint64_t of_late = 0;
  std::uint64_t from = 0;  ///< ticks: what was before does not count; 0 where they met
};

/// Finds meetings in a log: messages between two ranks, and collectives of both in which all wait
/// for all. Looks at most kFarthest activities back on each rank. Not thread-safe.
class Meetings {
 public:
  static constexpr std::uint64_t kFarthest = LookBack::kReach;

  /// Both live longer than this; `past` is of `log`.
  Meetings(const ActivityLog& log, LookBack& past) : log_(log), past_(past) {}

  /// The last one before `activity` of rank `waiting` and `on` of rank `late`. Where there is none,
  /// both are compared from the same time on.
  Meeting before(std::uint32_t waiting, std::uint64_t activity, std::uint32_t late,
                 std::uint64_t on);

 private:
  using Instances = std::unordered_map<std::uint64_t, std::uint64_t>;  // collective: activity

  // Whether `activity` is where `rank` met `other`, which did so before its activity `end`; then
  // sets `partner` to the other's activity.
  bool meets(std::uint32_t rank, std::uint64_t activity, std::uint32_t other, std::uint64_t end,
             Instances& own, const Instances& others, std::uint64_t& partner);

  const ActivityLog& log_;
  LookBack& past_;
  Instances of_waiting_;
  Instances of_late_;
};

}  // namespace huddle::waitstates
