// One-sided communication of a location.

#include "aggregator/waitstates/replay/replay_location.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kCompleted = 0;  // as a channel's tag

}  // namespace

void ReplayLocation::window_operation(const Event& event) {
  if (!context_.members.defined(event.subject | kWindowSubject)) return;
  switch (event.kind) {
    case EventKind::kWindowFence:
      fence(event);
      break;
    case EventKind::kWindowPost:
      window_post(event);
      break;
    case EventKind::kWindowStart:
      if (group(event.group) != nullptr)
        call_.starts.push_back(epochs_.open(event.subject, event.group));
      break;
    case EventKind::kWindowComplete:
      window_complete(event);
      break;
    case EventKind::kWindowWait:
      window_wait(event);
      break;
    default:  // puts and gets wait for nobody by themselves
      break;
  }
}

const std::vector<std::uint32_t>* ReplayLocation::group(std::uint32_t index) const {
  const auto& groups = context_.definitions.groups;
  return index < groups.size() ? &groups[index] : nullptr;
}

void ReplayLocation::window_post(const Event& event) {
  const std::vector<std::uint32_t>* const origins = group(event.group);
  if (origins == nullptr) return;
  exposed_[event.subject] = event.group;
  for (const std::uint32_t origin : *origins) {
    if (origin >= context_.definitions.ranks.size()) continue;
    ReplayMessage posted;
    posted.kind = ReplayMessageKind::kWindowPosted;
    posted.to = origin;
    posted.from = rank_;
    posted.subject = event.subject;
    posted.time = call_.waiting.enter;
    posted.activity = activities_;
    context_.route.tell(posted);
  }
}

void ReplayLocation::window_complete(const Event& event) {
  const std::uint32_t epoch = epochs_.current(event.subject);
  if (epoch == kNoIndex) return;
  epochs_.close(event.subject);
  call_.completes.push_back(epoch);
  for (const std::uint32_t target : *group(epochs_[epoch].group)) {
    if (target >= context_.definitions.ranks.size()) continue;
    ReplayMessage completed;
    completed.kind = ReplayMessageKind::kMessage;
    completed.to = target;
    completed.from = rank_;
    completed.subject = event.subject | kWindowSubject;
    completed.tag = kCompleted;
    completed.location = location_;
    completed.ticket = kNoIndex;
    completed.time = call_.waiting.enter;
    completed.activity = activities_;
    context_.route.tell(completed);
  }
}

void ReplayLocation::window_wait(const Event& event) {
  const auto exposed = exposed_.find(event.subject);
  if (exposed == exposed_.end()) return;
  for (const std::uint32_t origin : *group(exposed->second)) {
    if (origin >= context_.definitions.ranks.size()) continue;
    Need need;
    need.kind = Need::Kind::kComplete;
    need.pattern = WaitPattern::kLateComplete;
    need.channel = Mailboxes::channel(rank_, origin, event.subject | kWindowSubject, kCompleted);
    need.peer = origin;
    need.posted_by = activities_;
    call_.needs.push_back(need);
  }
  exposed_.erase(exposed);
}

bool ReplayLocation::window_posted(const ReplayMessage& posted) {
  const std::uint32_t epoch =
      epochs_.post(posted.subject, {posted.time, posted.activity, posted.from});
  if (epoch == kNoIndex) return false;
  --unanswered_;
  settle_epoch(epoch);
  if (state_ != State::kPaused || unanswered_ > window_ / 2) return false;
  state_ = State::kReady;
  return true;
}

// All posts are known. MPI may let MPI_Win_start end before them: then MPI_Win_complete waits.
void ReplayLocation::settle_epoch(std::uint32_t index) {
  AccessEpoch& epoch = epochs_[index];
  const bool at_start = epoch.last_post <= epoch.start_leave;
  const auto settle = [&](std::uint32_t call, bool waits) {
    PendingCall& pending = pending_[call];
    const Waiting& waiting = pending.waiting;
    if (waits && epoch.last_post > waiting.enter && epoch.last_post <= waiting.leave) {
      pending.waiting.extend(WaitPattern::kLatePost, epoch.last_post);
      Dependency post;
      post.kind = DependencyKind::kReceiver;
      post.activity = pending.activity;
      post.begun_by = pending.activity;
      post.on = epoch.last_activity;
      post.rank = epoch.last_rank;
      if (epoch.last_activity != kNoActivity) depend(post);
    }
    one_thing_known(call);
  };
  if (epoch.start != kNoIndex) settle(epoch.start, at_start);
  epoch.start = kNoIndex;
  if (epoch.complete == kNoIndex) return;
  settle(epoch.complete, !at_start);
  epochs_.release(index);
}

}  // namespace huddle
