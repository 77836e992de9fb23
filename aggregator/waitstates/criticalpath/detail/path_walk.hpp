#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "aggregator/waitstates/criticalpath/activity_log.hpp"

namespace huddle::waitstates {

/// Walks the critical path of a run backwards and calls `visitor` for every piece of it:
///   computation(rank, activity, ticks)  before that activity, or with first_of(rank + 1) behind
///   all mpi(rank, activity, ticks)          in it, without waiting before_begin(rank, ticks)
///   on(rank, begin, end)                all of these, in time
///   jump()                              to another rank
/// The pieces' sum is what the run took. `run` has enter(), leave() and cause_of() of activities,
/// and end_of() ranks: as measured, or of a replay.
template <class Run, class Visitor>
void walk_critical_path(const ActivityLog& log, const Run& run, Visitor& visitor) {
  if (log.ranks() == 0) return;
  std::uint32_t rank = 0;
  for (std::uint32_t other = 1; other < log.ranks(); ++other)
    if (run.end_of(other) > run.end_of(rank)) rank = other;
  std::uint64_t time = run.end_of(rank);
  std::uint64_t activity = log.first_of(rank + 1);
  std::uint64_t jumps_at_this_time = 0;
  while (activity != log.first_of(rank)) {
    keep_mapped_files_small();
    const std::uint64_t before = activity - 1;
    // In a replay that broke a circle an activity may end before what it waits for.
    const std::uint64_t leave = std::min(run.leave(before), time);
    const std::uint64_t enter = run.enter(before);
    const ActivityLog::Cause cause = run.cause_of(before);
    visitor.computation(rank, activity, time - leave);
    // Calls that take no time can wait for each other in a circle.
    const bool waited = cause.time > enter && jumps_at_this_time <= log.ranks();
    const std::uint64_t until = std::min(waited ? cause.time : enter, leave);
    visitor.mpi(rank, before, leave - until);
    visitor.on(rank, until, time);
    jumps_at_this_time = until < time ? 0 : jumps_at_this_time + 1;
    time = until;
    activity = before;
    if (!waited) continue;
    rank = log.rank_of(cause.activity);
    activity = cause.activity;
    visitor.jump();
  }
  const std::uint64_t begin = log.begin_of(rank);
  visitor.computation(rank, activity, time - begin);
  visitor.before_begin(rank, begin);
  visitor.on(rank, 0, time);
}

/// A run as it was measured.
class MeasuredRun {
 public:
  explicit MeasuredRun(const ActivityLog& log) : log_(log) {}
  [[nodiscard]] std::uint64_t enter(std::uint64_t activity) const { return log_[activity].enter; }
  [[nodiscard]] std::uint64_t leave(std::uint64_t activity) const { return log_[activity].leave; }
  [[nodiscard]] std::uint64_t end_of(std::uint32_t rank) const { return log_.end_of(rank); }
  [[nodiscard]] ActivityLog::Cause cause_of(std::uint64_t activity) const {
    return log_.cause_of(activity);
  }

 private:
  const ActivityLog& log_;
};

/// Sums for the pairs of a call path and a rank that occur. Not thread-safe.
template <class Sums>
class PathSums {
 public:
  Sums& at(std::uint32_t call_path, std::uint32_t rank) {
    return sums_[std::uint64_t{call_path} << 32U | rank];
  }

  /// Calls use(call path, rank, sums) for each, by call path, rank.
  template <class Use>
  void each(const Use& use) const {
    std::vector<std::pair<std::uint64_t, const Sums*>> sorted;
    sorted.reserve(sums_.size());
    for (const auto& [key, sums] : sums_) sorted.emplace_back(key, &sums);
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, sums] : sorted)
      use(static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), *sums);
  }

 private:
  std::unordered_map<std::uint64_t, Sums> sums_;
};

}  // namespace huddle::waitstates
