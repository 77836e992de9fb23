#include "aggregator/waitstates/replay/detail/lock_keepers.hpp"

#include <algorithm>

#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

void WindowLocks::take(const ReplayMessage& call) {
  OfTarget& target = targets_[{call.to, call.subject, call.tag}];
  const Call times{call.enter, call.time, call.activity, call.path};
  if (call.collective == traces::Collective::kNone) {  // MPI_Win_lock
    target.open[call.location] = {times, {}, call.from, call.location, call.known};
    return;
  }
  const auto open = target.open.find(call.location);
  if (open == target.open.end()) return;
  open->second.unlock = times;
  target.over.push_back(open->second);
  target.open.erase(open);
}

void WindowLocks::resolve() {
  for (auto& [key, target] : targets_) resolve(target.over);
  targets_.clear();
}

void WindowLocks::resolve(std::vector<Holding>& holdings) {
  std::ranges::sort(holdings, [](const Holding& a, const Holding& b) {
    return std::tie(a.unlock.leave, a.location) < std::tie(b.unlock.leave, b.location);
  });
  for (std::size_t at = 0; at < holdings.size(); ++at) {
    answer(holdings, at, holdings[at].lock);
    answer(holdings, at, holdings[at].unlock);
  }
}

// Until the last of those that had the lock before began to release it. A call does not wait for
// one that released the lock before it began.
void WindowLocks::answer(const std::vector<Holding>& holdings, std::size_t waiting,
                         const Call& call) {
  const Holding& mine = holdings[waiting];
  const Holding* last = nullptr;
  for (std::size_t at = waiting; at-- > 0 && holdings[at].unlock.leave > call.enter;) {
    const Holding& before = holdings[at];
    const bool excludes = before.exclusive || mine.exclusive;
    const std::uint64_t released = before.unlock.enter;
    if (!excludes || before.location == mine.location || released <= call.enter ||
        released > call.leave)
      continue;
    if (last == nullptr || released >= last->unlock.enter) last = &before;
  }
  if (last == nullptr) return;
  ReplayMessage message;
  message.kind = ReplayMessageKind::kWaited;
  message.to = mine.location;
  message.place = static_cast<std::uint32_t>(WaitPattern::kLockContention);
  message.enter = call.enter;
  message.time = last->unlock.enter;
  message.path = call.path;
  message.number = call.activity;
  message.from = last->rank;
  message.activity = last->unlock.activity;
  answer_(message);
}

void ThreadLocks::take(const ReplayMessage& event) {
  const std::uint64_t lock = std::uint64_t{event.to} << 32U | event.subject;
  if (event.collective == traces::Collective::kNone) {  // acquired
    if (event.number == 0) return;
    const WideKey before{lock, event.number - 1};
    if (const std::uint64_t* const released = find_in(released_, before)) {
      settle(event, *released);
      released_.erase(before);
    } else if (acquired_.size() < kMostOpen) {
      acquired_[before] = event;
    }
    return;
  }
  const WideKey key{lock, event.number};
  if (const ReplayMessage* const acquired = find_in(acquired_, key)) {
    settle(*acquired, event.time);
    acquired_.erase(key);
  } else if (released_.size() < kMostOpen) {
    released_[key] = event.time;
  }
}

// Times are the trace's own; only the answer's are those of the location.
void ThreadLocks::settle(const ReplayMessage& acquired, std::uint64_t released) {
  const std::uint64_t asked = acquired.activity;
  const std::uint64_t until = std::min(released, acquired.time);
  if (acquired.path == kNoIndex || until <= asked) return;
  ReplayMessage message;
  message.kind = ReplayMessageKind::kWaited;
  message.to = acquired.location;
  message.place = static_cast<std::uint32_t>(WaitPattern::kOpenmpLockContention);
  message.enter = acquired.enter;
  message.time = acquired.enter + (until - asked);
  message.path = acquired.path;
  message.number = kNoActivity;
  message.activity = kNoActivity;
  answer_(message);
}

}  // namespace huddle::waitstates
