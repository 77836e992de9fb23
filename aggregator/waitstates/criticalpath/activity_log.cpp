#include "aggregator/waitstates/criticalpath/activity_log.hpp"

#include <algorithm>

namespace huddle::waitstates {

std::uint32_t ActivityLog::rank_of(std::uint64_t activity) const {
  const auto behind = std::upper_bound(first_of_rank_.begin(), first_of_rank_.end(), activity);
  return static_cast<std::uint32_t>(behind - first_of_rank_.begin() - 1);
}

std::uint64_t ActivityLog::waits_for(const ActivityLink& link) const {
  if (!link.ends) return kNoActivity;
  switch (link.kind) {
    case DependencyKind::kMessage:
    case DependencyKind::kReceiver:
      return link.on;
    case DependencyKind::kCollectiveAll:
    case DependencyKind::kCollectiveRest:
    case DependencyKind::kCollectiveOtherGroup:
      return collectives_[link.on].last;
    case DependencyKind::kCollectiveRoot:
      return collectives_[link.on].root_begin;
    case DependencyKind::kCollectiveScan:
      return link.which == 0 ? kNoActivity
                             : scan_places_[collectives_[link.on].places + link.which - 1];
    case DependencyKind::kCollectivePart:
      break;
  }
  return kNoActivity;
}

ActivityLog::Cause ActivityLog::cause_of(std::uint64_t activity) const {
  Cause cause;
  for (const ActivityLink& link : links_of(activity)) {
    const std::uint64_t on = waits_for(link);
    if (!holds(activity, on)) continue;
    const std::uint64_t time = activities_[on].enter;
    if (cause.activity == kNoActivity || time > cause.time ||
        (time == cause.time && on < cause.activity))
      cause = {time, on};
  }
  return cause;
}

std::vector<bool> paths_of_set_up(const ActivityLog& log) {
  std::vector<bool> sets_up;
  for (const CallPath& path : log.call_paths())
    sets_up.push_back(path.mpi && (path.region == "MPI_Init" || path.region == "MPI_Init_thread" ||
                                   path.region == "MPI_Finalize"));
  return sets_up;
}

}  // namespace huddle::waitstates
