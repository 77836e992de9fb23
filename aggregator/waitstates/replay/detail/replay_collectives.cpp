// Collectives and one-sided communication of a location.

#include "aggregator/waitstates/replay/detail/replay_location.hpp"

namespace huddle::waitstates {
namespace {

WaitPattern pattern_of(traces::Collective collective) {
  switch (collective) {
    case traces::Collective::kAllToAll:
      return WaitPattern::kWaitAtNxN;
    case traces::Collective::kFromRoot:
      return WaitPattern::kLateBroadcast;
    case traces::Collective::kToRoot:
      return WaitPattern::kEarlyReduce;
    case traces::Collective::kScan:
      return WaitPattern::kEarlyScan;
    default:
      return WaitPattern::kWaitAtBarrier;
  }
}

// A number for each instance of the trace.
std::uint64_t instance_of(std::uint32_t subject, std::uint64_t number) {
  constexpr unsigned kNumberBits = 40;
  const std::uint64_t window = (subject & kWindowSubject) == 0 ? 0 : 1;
  const std::uint64_t file = (subject & kFileSubject) == 0 ? 0 : 1;
  const std::uint64_t index = subject & ~(kWindowSubject | kFileSubject);
  return window << 63U | file << 62U | index << kNumberBits | number;
}

// Of an operation between two groups in which all wait for all of the other group: which group's
// begins an instance is of.
constexpr std::uint64_t kSecondGroup = std::uint64_t{1} << 39U;

// How a member depends on the others; kCollectivePart: not at all.
DependencyKind kind_of(traces::Collective collective, std::uint32_t place, std::uint32_t root,
                       std::uint32_t first_side, std::uint32_t members) {
  const bool other_side = first_side == members || (place < first_side) != (root < first_side);
  switch (collective) {
    case traces::Collective::kBarrier:
    case traces::Collective::kAllToAll:
      return first_side == members ? DependencyKind::kCollectiveAll
                                   : DependencyKind::kCollectiveOtherGroup;
    case traces::Collective::kFromRoot:
      if (root == traces::kNobody || place == root || !other_side) break;
      return DependencyKind::kCollectiveRoot;
    case traces::Collective::kToRoot:
      if (place != root) break;
      return DependencyKind::kCollectiveRest;
    case traces::Collective::kScan:
      return DependencyKind::kCollectiveScan;
    default:
      break;
  }
  return DependencyKind::kCollectivePart;
}

bool has_root(traces::Collective collective) {
  return collective == traces::Collective::kFromRoot || collective == traces::Collective::kToRoot;
}

// Between two groups, those of the root's own but the root have no part in it, and don't know who
// of them is the root.
bool has_no_part(traces::Collective collective, std::uint32_t place, std::uint32_t root,
                 std::uint32_t first_side, std::uint32_t members) {
  if (!has_root(collective) || first_side == members || place == root) return false;
  return root == traces::kNobody || (place < first_side) == (root < first_side);
}

}  // namespace

std::uint32_t ReplayLocation::begin_collective(std::uint32_t subject, const traces::Event& event,
                                               std::uint64_t time) {
  Members& members = context_.members;
  if (event.collective == traces::Collective::kNone ||
      event.collective == traces::Collective::kOther || !members.defined(subject) ||
      members.count(subject) < 2)
    return kNoIndex;
  const std::uint32_t place = members.place(subject, rank_);
  if (place == traces::kNobody) return kNoIndex;
  const std::uint64_t number = context_.numbers[{rank_, subject}]++;
  // Some write one where there is none, not all the same.
  const bool rooted = has_root(event.collective) && event.peer != traces::kNobody;
  const std::uint32_t root = rooted ? members.place(subject, event.peer) : traces::kNobody;
  if (has_no_part(event.collective, place, root, members.first_side(subject),
                  members.count(subject)))
    return kNoIndex;
  const std::uint32_t index = tickets_.acquire();
  ReplayMessage arrival;
  arrival.kind = ReplayMessageKind::kArrival;
  arrival.collective = event.collective;
  arrival.number = number;
  arrival.from = rank_;
  arrival.subject = subject;
  arrival.location = location_;
  arrival.ticket = index;
  arrival.place = place;
  arrival.root = root;
  arrival.time = time;
  tickets_[index] = Ticket{};
  tickets_[index].instance = instance_of(subject, arrival.number);
  ++unanswered_;
  context_.route.send(arrival);
  return index;
}

void ReplayLocation::end_collective(std::uint32_t ticket, std::uint32_t subject,
                                    const traces::Event& event, WaitPattern pattern,
                                    std::uint64_t begun_by) {
  if (ticket == kNoIndex) return;
  Members& members = context_.members;
  Dependency dependency;
  dependency.activity = activities_;
  dependency.begun_by = begun_by;
  dependency.on = tickets_[ticket].instance;
  dependency.place = members.place(subject, rank_);
  dependency.members = members.count(subject);
  const std::uint32_t root =
      event.peer == traces::kNobody ? traces::kNobody : members.place(subject, event.peer);
  dependency.root = root;
  dependency.kind = kind_of(event.collective, dependency.place, root, members.first_side(subject),
                            dependency.members);
  if (dependency.kind == DependencyKind::kCollectivePart) {
    if (reports_activities_) call_.dependencies.push_back(dependency);
    forget(ticket);
    return;
  }
  if (dependency.kind == DependencyKind::kCollectiveOtherGroup &&
      dependency.place < members.first_side(subject))
    dependency.on |= kSecondGroup;
  Need need;
  need.kind = Need::Kind::kAnswer;
  need.pattern = pattern;
  need.ticket = ticket;
  need.dependency = dependency;
  call_.needs.push_back(need);
}

void ReplayLocation::depend_on_collective(const Dependency& dependency) {
  call_.dependencies.push_back(dependency);
  if (dependency.kind != DependencyKind::kCollectiveOtherGroup) return;
  Dependency own = dependency;
  own.kind = DependencyKind::kCollectivePart;
  own.on ^= kSecondGroup;
  call_.dependencies.push_back(own);
}

void ReplayLocation::collective_ends(const traces::Event& event) {
  const std::uint32_t ticket = begin_collective(event.subject, event, call_.waiting.enter);
  end_collective(ticket, event.subject, event, pattern_of(event.collective), activities_);
}

void ReplayLocation::fence(const traces::Event& event) {
  traces::Event barrier = event;
  barrier.collective = traces::Collective::kBarrier;
  const std::uint32_t subject = event.subject | kWindowSubject;
  const std::uint32_t ticket = begin_collective(subject, barrier, call_.waiting.enter);
  end_collective(ticket, subject, barrier, WaitPattern::kWaitAtFence, activities_);
}

// Others may depend on its begin, but only its end names the collective: so look ahead.
// Where that is too far away, it is reported when it ends.
void ReplayLocation::collective_requested(const traces::Event& event) {
  const bool end_known = queue_.find_end(event.group);
  OpenRequest& request = queue_.requests()[event.group];
  request.begin_time = call_.waiting.enter;
  request.begin_activity = activities_;
  if (!end_known || request.cancelled) return;
  const traces::Event end = request.end;
  request.counted = true;
  request.ticket = begin_collective(end.subject, end, call_.waiting.enter);
}

void ReplayLocation::collective_request_ends(const traces::Event& event) {
  const WaitPattern pattern = pattern_of(event.collective);
  if (event.group == kNoIndex) {
    collective_ends(event);
    return;
  }
  const OpenRequest request = queue_.requests()[event.group];
  queue_.requests().release(event.group);
  const std::uint32_t ticket =
      request.counted ? request.ticket : begin_collective(event.subject, event, request.begin_time);
  end_collective(ticket, event.subject, event, pattern, request.begin_activity);
}

// One-sided communication of a location.

namespace {

constexpr std::uint32_t kCompleted = 0;  // as a channel's tag

}  // namespace

void ReplayLocation::window_operation(const traces::Event& event) {
  if (!context_.members.defined(event.subject | kWindowSubject)) return;
  switch (event.kind) {
    case traces::EventKind::kWindowLocked:
    case traces::EventKind::kWindowUnlocked:
      window_lock(event);
      break;
    case traces::EventKind::kWindowFence:
      fence(event);
      break;
    case traces::EventKind::kWindowPost:
      window_post(event);
      break;
    case traces::EventKind::kWindowStart:
      if (group(event.group) != nullptr)
        call_.starts.push_back(epochs_.open(event.subject, event.group));
      break;
    case traces::EventKind::kWindowComplete:
      window_complete(event);
      break;
    case traces::EventKind::kWindowWait:
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

void ReplayLocation::window_post(const traces::Event& event) {
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
    context_.route.send(posted);
  }
}

void ReplayLocation::window_complete(const traces::Event& event) {
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
    context_.route.send(completed);
  }
}

void ReplayLocation::window_wait(const traces::Event& event) {
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

}  // namespace huddle::waitstates
