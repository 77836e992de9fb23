// Looks for waits at locks and at collective accesses to files in a location, and learns of its
// waiting after the call is over.

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {

// Where nothing shows that the others had to come first, they did not: file systems may let members
// go on alone.
void ReplayLocation::file_access(const traces::Event& event) {
  traces::Event access = event;
  access.collective = traces::Collective::kAllToAll;
  access.peer = traces::kNobody;
  const std::uint32_t subject = event.subject | kFileSubject;
  const std::uint32_t ticket = begin_collective(subject, access, call_.waiting.enter);
  end_collective(ticket, subject, access, WaitPattern::kWaitAtFileAccess, activities_);
}

void ReplayLocation::window_lock(const traces::Event& event) {
  if (event.peer >= context_.definitions.ranks.size() || call_.frame == MpiCall::kNoFrame) return;
  ReplayMessage lock;
  lock.kind = ReplayMessageKind::kWindowLock;
  // Of a lock's two calls the second one ends something.
  lock.collective = event.kind == traces::EventKind::kWindowLocked ? traces::Collective::kNone
                                                                   : traces::Collective::kBarrier;
  lock.known = event.kind == traces::EventKind::kWindowLocked && event.request == 1;
  lock.to = event.peer;
  lock.from = rank_;
  lock.subject = event.subject;
  lock.tag = event.tag;
  lock.location = location_;
  lock.activity = activities_;
  // A request, and then the lock itself, are one.
  for (const ReplayMessage& same : call_.locks)
    if (same.to == lock.to && same.subject == lock.subject && same.tag == lock.tag &&
        same.collective == lock.collective)
      return;
  call_.locks.push_back(lock);
}

void ReplayLocation::thread_lock(const traces::Event& event) {
  if (!call_.open) spend_until(std::max(clock_.at(event.time), now_));
  ReplayMessage lock;
  lock.kind = ReplayMessageKind::kThreadLock;
  lock.collective = event.kind == traces::EventKind::kLockAcquired ? traces::Collective::kNone
                                                                   : traces::Collective::kBarrier;
  lock.to = lock.from = rank_;
  lock.subject = event.subject;
  lock.number = event.request;
  lock.location = location_;
  lock.time = event.time;
  lock.path = kNoIndex;
  // Only in a region that gets locks, before any other one in it, the time so far is known to be
  // that of getting this one.
  if (event.kind == traces::EventKind::kLockAcquired && !call_.open && !frames_.empty()) {
    Frame& frame = frames_.back();
    const bool asks =
        context_.definitions.regions[frame.region].kind == traces::TraceRegion::Kind::kThreadLock;
    if (asks && !frame.locked && frame.below == 0 &&
        sums_.paths[frame.path].region == frame.region) {
      lock.enter = frame.enter;
      lock.activity = frame.raw_enter;
      lock.path = frame.path;
    }
    frame.locked = true;
  }
  context_.route.send(lock);
}

// The call is over.
void ReplayLocation::report_locks() {
  for (ReplayMessage& lock : call_.locks) {
    lock.enter = call_.waiting.enter;
    lock.time = call_.waiting.leave;
    lock.path = call_.waiting.path;
    context_.route.send(lock);
  }
}

void ReplayLocation::waited(const ReplayMessage& answer) {
  const auto pattern = static_cast<WaitPattern>(answer.place);
  Waiting waiting;
  waiting.enter = answer.enter;
  waiting.leave = answer.time;
  waiting.path = answer.path;
  waiting.extend(pattern, answer.time);
  sums_.add(waiting);
  if (pattern == WaitPattern::kOpenmpLockContention) sums_.add_openmp(answer.enter, answer.time);
  if (answer.activity == kNoActivity || answer.number == kNoActivity) return;
  Dependency holder;
  holder.kind = DependencyKind::kReceiver;
  holder.activity = answer.number;
  holder.begun_by = answer.number;
  holder.on = answer.activity;
  holder.rank = answer.from;
  depend(holder);
}

// Waits for late senders are counted when it is known whether they were in order.

void ReplayLocation::keep_late_sender(const Waiting& waiting, std::uint32_t pending) {
  if (const auto oldest = late_senders_.add({waiting, pending, false})) count(*oldest);
}

void ReplayLocation::count(const LateSenderWait& wait) {
  if (wait.pending != kNoIndex) {
    pending_[wait.pending].order =
        wait.wrong_order ? PendingCall::Order::kWrong : PendingCall::Order::kAny;
  } else {
    sums_.add(wait.wrong_order ? in_wrong_order(wait.waiting) : wait.waiting);
  }
}

void ReplayLocation::count(std::uint32_t call) {
  const PendingCall& pending = pending_[call];
  if (pending.order == PendingCall::Order::kOpen) {
    late_senders_.complete(call, pending.waiting);
  } else {
    sums_.add(pending.order == PendingCall::Order::kWrong ? in_wrong_order(pending.waiting)
                                                          : pending.waiting);
  }
}

}  // namespace huddle::waitstates
