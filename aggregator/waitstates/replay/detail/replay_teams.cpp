// A location in its teams: what it and the others spent their time in, for the delays of those who
// waited.

#include <algorithm>

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle {

void ReplayLocation::begin_team(const Event& event) {
  teams_.push_back(event.subject);
  if (!reports_threads_) return;
  spend_until(std::max(clock_.at(event.time), now_));
  times_.begin_team(event.time, frames_.empty() ? CallPath::kRoot : frames_.back().path);
}

void ReplayLocation::end_team(const Event& event) {
  teams_.pop_back();
  if (!reports_threads_) return;
  spend_until(std::max(clock_.at(event.time), now_));
  times_.end_team();
}

void ReplayLocation::arrive_for_delays() {
  const Barrier& barrier = barriers_.back();
  const std::uint32_t path = frames_.back().path;
  context_.team_delays->arrive(
      barrier.team, barrier.number, context_.definitions.teams[barrier.team].size(),
      {rank_, location_, 0, path}, times_.arrive(barrier.raw_enter, path, sums_.paths));
}

void ReplayLocation::leave_for_delays(bool known, const Waiting& waiting) {
  const Barrier& barrier = barriers_.back();
  const std::uint64_t until =
      waiting.until[static_cast<std::size_t>(WaitPattern::kWaitAtOpenmpBarrier)];
  const std::uint64_t ticks =
      std::max(std::min(until, waiting.leave), waiting.enter) - waiting.enter;
  // Waiting counts only where the barrier has a call path of its own.
  const bool counts = sums_.paths[waiting.path].region == frames_[barrier.frame].region;
  if (known && counts) {
    const std::uint64_t before = reports_activities_ ? activities_ : kNoActivity;
    times_.waited(waiting.path, ticks,
                  context_.team_delays->waited(barrier.team, barrier.number,
                                               {rank_, location_, before, waiting.path}, ticks,
                                               times_.is_nested()));
  }
  context_.team_delays->leave(barrier.team, barrier.number);
}

void ReplayLocation::note_lock(const ReplayMessage& lock) {
  if (lock.collective != Collective::kNone) {
    times_.released(lock.subject, lock.number, lock.time);
    return;
  }
  LockQuest quest;
  quest.lock = lock.subject;
  quest.number = lock.number;
  quest.asked = lock.activity;
  quest.acquired = lock.time;
  quest.path = frames_.empty() ? CallPath::kRoot : frames_.back().path;
  quest.before = reports_activities_ ? activities_ : kNoActivity;
  times_.acquired(quest, lock.path != kNoIndex);
}

}  // namespace huddle
