#include "aggregator/waitstates/criticalpath/activity_log.hpp"

#include <algorithm>

#include "aggregator/waitstates/criticalpath/activity_log_maker.hpp"
#include "aggregator/waitstates/criticalpath/activity_source.hpp"
#include "aggregator/waitstates/criticalpath/activity_spool.hpp"

namespace huddle {

std::uint32_t ActivityLog::rank_of(std::uint64_t activity) const {
  const auto behind = std::upper_bound(first_of_rank_.begin(), first_of_rank_.end(), activity);
  return static_cast<std::uint32_t>(behind - first_of_rank_.begin() - 1);
}

std::uint64_t ActivityLog::waits_for(const ActivityLink& link) const {
  if (!link.ends) return Meeting::kNoActivity;
  switch (link.kind) {
    case DependencyKind::kMessage:
    case DependencyKind::kReceiver:
      return link.on;
    case DependencyKind::kCollectiveAll:
    case DependencyKind::kCollectiveRest:
      return meetings_[link.on].last;
    case DependencyKind::kCollectiveRoot:
      return meetings_[link.on].root_begin;
    case DependencyKind::kCollectiveScan:
      return link.which == 0 ? Meeting::kNoActivity
                             : scan_places_[meetings_[link.on].places + link.which - 1];
    case DependencyKind::kCollectivePart:
      break;
  }
  return Meeting::kNoActivity;
}

ActivityLog::Cause ActivityLog::cause_of(std::uint64_t activity) const {
  Cause cause;
  for (const ActivityLink& link : links_of(activity)) {
    const std::uint64_t on = waits_for(link);
    if (!holds(activity, on)) continue;
    const std::uint64_t time = activities_[on].enter;
    if (cause.activity == Meeting::kNoActivity || time > cause.time ||
        (time == cause.time && on < cause.activity))
      cause = {time, on};
  }
  return cause;
}

ActivityLog make_activity_log(ActivitySpool& spool, Exchange& exchange, const WaitReport& report,
                              const TraceDefinitions& definitions) {
  ActivitySource source(spool, exchange);
  ActivityLog log;
  if (exchange.process() == 0) {
    try {
      log = ActivityLogMaker(source, spool.folder(), report, definitions).make();
    } catch (...) {
      source.release(false);
      throw;
    }
  }
  source.release(true);
  return log;
}

}  // namespace huddle
