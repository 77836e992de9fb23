#include "aggregator/waitstates/replay/detail/thread_times.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace huddle {

void ThreadTimes::add(Level& level, const ThreadPiece& piece) {
  std::vector<ThreadPiece>& pieces = level.interval.pieces;
  if (piece.on != kNoActivity) {
    if (!pieces.empty() && pieces.back().on == piece.on) {
      pieces.back().ticks += piece.ticks;
      return;
    }
    if (level.calls < kMostCalls) {
      ++level.calls;
      pieces.push_back(piece);
      return;
    }
  }
  const std::size_t slot = piece.path == CallPath::kRoot ? 0 : std::size_t{piece.path} + 1;
  if (level.index.size() <= slot) level.index.resize(slot + 1);
  std::uint32_t& index = level.index[slot];
  if (index == 0) {
    pieces.push_back({piece.path, kNoActivity, 0});
    index = static_cast<std::uint32_t>(pieces.size());
  }
  pieces[index - 1].ticks += piece.ticks;
}

void ThreadTimes::spend(std::uint32_t path, std::uint64_t on, std::uint64_t ticks) {
  if (teams_.empty() || ticks == 0) return;
  const ThreadPiece piece{path, on, static_cast<std::int64_t>(ticks)};
  add(teams_.back(), piece);
  for (LockHold& hold : open_) {
    if (hold.pieces.size() > kMostPieces) continue;
    if (!hold.pieces.empty() && hold.pieces.back().path == path && hold.pieces.back().on == on)
      hold.pieces.back().ticks += piece.ticks;
    else
      hold.pieces.push_back(piece);
  }
}

void ThreadTimes::begin_team(std::uint64_t time, std::uint32_t path) {
  Level& level = teams_.emplace_back();
  level.interval.began = time;
  level.interval.began_in = path;
}

// What was done in an inner team was done in the outer one, too.
void ThreadTimes::merge_into_outer() {
  if (teams_.size() < 2) return;
  Level& outer = teams_[teams_.size() - 2];
  const ThreadInterval& inner = teams_.back().interval;
  for (const ThreadPiece& piece : inner.pieces) add(outer, piece);
}

void ThreadTimes::end_team() {
  if (teams_.empty()) return;
  merge_into_outer();
  teams_.pop_back();
  open_.clear();
}

ThreadInterval ThreadTimes::arrive(std::uint64_t time, std::uint32_t path,
                                   const CallPathTree& tree) {
  if (teams_.empty()) return {};
  merge_into_outer();
  open_.clear();  // a lock that is held across a barrier: nothing is known of its holder
  ThreadInterval over = std::exchange(teams_.back(), Level{}).interval;
  over.came = time;
  over.came_in = path;
  for (const ThreadPiece& piece : over.pieces)
    over.regions.push_back(piece.path == CallPath::kRoot ? kNoIndex
                                                         : tree.paths()[piece.path].region);
  return over;
}

void ThreadTimes::waited(std::uint32_t path, std::uint64_t ticks,
                         const std::vector<LateThread>& late) {
  if (teams_.empty()) return;
  add(teams_.back(), {path, kNoActivity, -static_cast<std::int64_t>(ticks)});
  if (teams_.size() < 2) return;
  std::vector<LateThread>& outer = teams_[teams_.size() - 2].interval.waited_for;
  for (const LateThread& one : late) {
    const auto known = std::ranges::find_if(outer, [&](const LateThread& other) {
      return other.location == one.location && other.path == one.path && other.on == one.on;
    });
    if (known != outer.end())
      known->ticks += one.ticks;
    else
      outer.push_back(one);
  }
}

void ThreadTimes::acquired(const LockQuest& lock, bool quest) {
  if (teams_.empty()) return;
  std::vector<LockQuest>& quests = teams_.back().interval.quests;
  if (quest && quests.size() < kMostQuests) quests.push_back(lock);
  if (open_.size() >= kMostOpen) open_.erase(open_.begin());
  open_.push_back({lock.lock, lock.number, lock.acquired, 0, lock.path, {}});
}

void ThreadTimes::released(std::uint32_t lock, std::uint64_t number, std::uint64_t time) {
  const auto held = std::ranges::find_if(
      open_, [&](const LockHold& hold) { return hold.lock == lock && hold.number == number; });
  if (held == open_.end() || teams_.empty()) return;
  held->released = time;
  if (held->pieces.size() <= kMostPieces) keep(teams_.back(), std::move(*held));
  open_.erase(held);
}

// Half of them go at once, so that each moves once on average.
void ThreadTimes::keep(Level& level, LockHold hold) {
  const auto size_of = [](const LockHold& one) { return 1 + one.pieces.size(); };
  std::vector<LockHold>& holds = level.interval.holds;
  level.held += size_of(hold);
  holds.push_back(std::move(hold));
  if (level.held <= 2 * kMostHeld) return;
  auto kept = holds.begin();
  for (; level.held > kMostHeld; ++kept) level.held -= size_of(*kept);
  holds.erase(holds.begin(), kept);
}

}  // namespace huddle
