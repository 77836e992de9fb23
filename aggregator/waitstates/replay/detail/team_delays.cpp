#include "aggregator/waitstates/replay/detail/team_delays.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace huddle {
namespace {

// The holders of one meeting's locks.
class Holders {
 public:
  struct Holder {
    std::uint32_t location = 0;
    const LockHold* hold = nullptr;
  };

  void add(std::uint32_t location, const LockHold& hold) { all_.push_back({location, &hold}); }
  void sort() {
    std::ranges::sort(all_, {}, [](const Holder& one) {
      return std::tuple(one.hold->lock, one.hold->number, one.location);
    });
  }
  [[nodiscard]] const Holder* find(std::uint32_t lock, std::uint64_t number) const {
    const auto found = std::ranges::lower_bound(
        all_, std::pair(lock, number), {},
        [](const Holder& one) { return std::pair(one.hold->lock, one.hold->number); });
    const bool there =
        found != all_.end() && found->hold->lock == lock && found->hold->number == number;
    return there ? &*found : nullptr;
  }

 private:
  std::vector<Holder> all_;
};

void add_to(std::vector<LateThread>& all, const LateThread& late) {
  const auto known = std::ranges::find_if(all, [&](const LateThread& one) {
    return one.location == late.location && one.path == late.path && one.on == late.on;
  });
  if (known != all.end())
    known->ticks += late.ticks;
  else
    all.push_back(late);
}

// What the holder did from `from` to `until`, both in the time that it had the lock.
void add_held(const Holders::Holder& holder, std::uint64_t from, std::uint64_t until,
              std::vector<LateThread>& late) {
  const LockHold& hold = *holder.hold;
  auto behind = static_cast<std::int64_t>(hold.released - until);
  auto left = static_cast<std::int64_t>(until - from);
  for (auto piece = hold.pieces.rbegin(); piece != hold.pieces.rend() && left > 0; ++piece) {
    const std::int64_t skipped = std::min(behind, piece->ticks);
    behind -= skipped;
    const std::int64_t taken = std::min(left, piece->ticks - skipped);
    left -= taken;
    if (taken > 0)
      add_to(late, {holder.location, piece->path, piece->on, static_cast<double>(taken)});
  }
  if (left > 0) add_to(late, {holder.location, hold.path, kNoActivity, static_cast<double>(left)});
}

// From the last that had the lock before back to the one that had it when it was asked for.
std::vector<LateThread> holders_during(const LockQuest& quest, const Holders& holders) {
  std::vector<LateThread> late;
  if (quest.number == 0) return late;
  std::uint64_t number = quest.number - 1;
  const Holders::Holder* next = nullptr;
  const Holders::Holder* holder = holders.find(quest.lock, number);
  if (holder == nullptr) return late;
  std::uint64_t until = std::min(holder->hold->released, quest.acquired);
  while (holder != nullptr && until > quest.asked) {
    const std::uint64_t released = std::clamp(holder->hold->released, quest.asked, until);
    // The lock was free, and the next one was still about to get it.
    if (next != nullptr && released < until)
      add_to(late, {next->location, next->hold->path, kNoActivity,
                    static_cast<double>(until - released)});
    const std::uint64_t from =
        std::clamp(holder->hold->acquired, quest.asked, std::max(released, quest.asked));
    add_held(*holder, from, std::min(released, holder->hold->released), late);
    until = from;
    if (number == 0) break;
    next = holder;
    holder = holders.find(quest.lock, --number);
  }
  return late;
}

double ticks_of(const std::vector<LateThread>& late) {
  double sum = 0;
  for (const LateThread& one : late) sum += one.ticks;
  return sum;
}

// Of which a tick has so many parts in sums.
constexpr double kPartsOfTick = 1024;

std::int64_t parts_of(double ticks) {
  return std::llround(ticks * kPartsOfTick);
}

}  // namespace

void TeamDelays::arrive(std::uint32_t team, std::uint64_t barrier, std::size_t size,
                        const WaitingThread& thread, ThreadInterval interval) {
  Meeting& meeting = meetings_[{team, barrier}];
  meeting.size = size;
  meeting.members.push_back({thread, std::move(interval), {}});
}

// By regions, since call paths of a team's threads need not begin at the same place.
std::vector<LateThread> TeamDelays::excess_of(const Member& member, const Member* other) {
  const ThreadInterval& late = member.interval;
  std::vector<LateThread> excess;
  for (std::size_t i = 0; i < late.pieces.size(); ++i) {
    const ThreadPiece& piece = late.pieces[i];
    if (piece.ticks <= 0) continue;
    const std::int64_t all = member.by_region.at(late.regions[i]);
    std::int64_t others = 0;
    if (other != nullptr)
      if (const auto known = other->by_region.find(late.regions[i]);
          known != other->by_region.end())
        others = known->second;
    if (all <= others) continue;
    excess.push_back({member.thread.location, piece.path, piece.on,
                      static_cast<double>(piece.ticks) * static_cast<double>(all - others) /
                          static_cast<double>(all)});
  }
  if (other != nullptr && late.began > other->interval.began)
    add_to(excess, {member.thread.location, late.began_in, kNoActivity,
                    static_cast<double>(late.began - other->interval.began)});
  return excess;
}

// Waits for locks are the first to have causes, since whoever waits at the barrier may have waited
// for these.
void TeamDelays::settle(Meeting& meeting) {
  meeting.settled = true;
  std::ranges::sort(meeting.members, {}, [](const Member& one) { return one.thread.location; });
  Holders holders;
  for (const Member& member : meeting.members)
    for (const LockHold& hold : member.interval.holds) holders.add(member.thread.location, hold);
  holders.sort();
  for (Member& member : meeting.members)
    for (const LockQuest& quest : member.interval.quests) {
      const std::vector<LateThread> late = holders_during(quest, holders);
      if (late.empty()) continue;
      const WaitingThread waits{member.thread.rank, member.thread.location, quest.before,
                                quest.path};
      for (const LateThread& one : late) {
        report(waits, one, false);
        add_to(member.interval.waited_for, one);
      }
      for (ThreadPiece& piece : member.interval.pieces)
        if (piece.path == quest.path && piece.on == kNoActivity)
          piece.ticks -= static_cast<std::int64_t>(ticks_of(late));
    }
  for (Member& member : meeting.members)
    for (std::size_t i = 0; i < member.interval.pieces.size(); ++i)
      if (const ThreadPiece& piece = member.interval.pieces[i]; piece.ticks > 0)
        member.by_region[member.interval.regions[i]] += piece.ticks;
}

std::vector<LateThread> TeamDelays::waited(std::uint32_t team, std::uint64_t barrier,
                                           const WaitingThread& thread, std::uint64_t ticks,
                                           bool returns) {
  const auto found = meetings_.find({team, barrier});
  // Without all of them nobody knows who was last.
  if (found == meetings_.end() || found->second.members.size() < found->second.size) return {};
  Meeting& meeting = found->second;
  if (!meeting.settled) settle(meeting);
  if (ticks == 0) return {};
  const Member* late = nullptr;
  const Member* mine = nullptr;
  for (const Member& member : meeting.members) {
    if (member.thread.location == thread.location) mine = &member;
    if (late == nullptr || member.interval.came > late->interval.came) late = &member;
  }
  if (mine == nullptr || late == mine) return {};
  std::vector<LateThread> direct = excess_of(*late, mine);
  std::vector<LateThread> passed_on = late->interval.waited_for;
  if (ticks_of(direct) + ticks_of(passed_on) <= 0) direct = excess_of(*late, nullptr);
  double all = ticks_of(direct) + ticks_of(passed_on);
  if (all <= 0) {
    direct = {{late->thread.location, late->interval.came_in, kNoActivity, 1}};
    all = 1;
  }
  std::vector<LateThread> causes;
  for (const bool propagated : {false, true})
    for (LateThread one : propagated ? passed_on : direct) {
      one.ticks *= static_cast<double>(ticks) / all;
      report(thread, one, propagated);
      if (returns) add_to(causes, one);
    }
  return causes;
}

void TeamDelays::leave(std::uint32_t team, std::uint64_t barrier) {
  const auto meeting = meetings_.find({team, barrier});
  if (meeting == meetings_.end()) return;
  if (++meeting->second.left == meeting->second.size) meetings_.erase(meeting);
}

void TeamDelays::report(const WaitingThread& thread, const LateThread& late, bool propagated) {
  if (thread.before == kNoActivity && late.on == kNoActivity) {
    Costs& costs = sums_[{thread.rank, {late.location, late.path}}];
    (propagated ? costs.propagated : costs.direct) += parts_of(late.ticks);
    return;
  }
  ThreadDelay delay;
  delay.ticks = late.ticks;
  delay.before = thread.before;
  delay.on = late.on;
  delay.path = thread.path;
  delay.late = late.location;
  delay.late_in = late.path;
  delay.propagated = propagated;
  sink_.add_delay(thread.rank, delay);
}

void TeamDelays::close() {
  for (const auto& [key, costs] : sums_)
    for (const bool propagated : {false, true}) {
      ThreadDelay delay;
      delay.ticks =
          static_cast<double>(propagated ? costs.propagated : costs.direct) / kPartsOfTick;
      delay.late = key.second.first;
      delay.late_in = key.second.second;
      delay.propagated = propagated;
      if (delay.ticks > 0) sink_.add_delay(key.first, delay);
    }
  sums_.clear();
  meetings_.clear();
}

}  // namespace huddle
