#pragma once

// What a thread of a team did between two barriers: what others of the team waited for.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/location_sums.hpp"

namespace huddle {

/// A part of a thread's time.
struct ThreadPiece {
  std::uint32_t path = CallPath::kRoot;  ///< as its location numbers it
  std::uint64_t on = kNoActivity;        ///< the call of MPI that it was in, if that is an activity
  std::int64_t ticks = 0;
};

/// A thread had a lock; times are the trace's own.
struct LockHold {
  std::uint32_t lock = 0;
  std::uint64_t number = 0;  ///< how often the lock was acquired before
  std::uint64_t acquired = 0;
  std::uint64_t released = 0;
  std::uint32_t path = 0;           ///< it got the lock there
  std::vector<ThreadPiece> pieces;  ///< meanwhile, in their order
};

/// A thread got a lock, and did nothing else since it had asked for it.
struct LockQuest {
  std::uint32_t lock = 0;
  std::uint64_t number = 0;
  std::uint64_t asked = 0;
  std::uint64_t acquired = 0;
  std::uint32_t path = 0;
  std::uint64_t before = kNoActivity;  ///< activities that its location had, if it has any
};

/// Who was late, and where.
struct LateThread {
  std::uint32_t location = 0;
  std::uint32_t path = CallPath::kRoot;
  std::uint64_t on = kNoActivity;
  double ticks = 0;
};

/// What a thread did from one barrier of its team (or the team's begin) to the next.
struct ThreadInterval {
  std::uint64_t came = 0;     ///< to the barrier that ends it
  std::uint32_t came_in = 0;  ///< call path of that barrier
  std::uint64_t began = 0;    ///< the team, for this thread; 0: the interval is a later one
  std::uint32_t began_in = CallPath::kRoot;
  std::vector<ThreadPiece> pieces;     ///< each path and call once, without waiting at barriers
  std::vector<std::uint32_t> regions;  ///< of the pieces; kNoIndex: in none
  std::vector<LockHold> holds;
  std::vector<LockQuest> quests;
  std::vector<LateThread> waited_for;  ///< in inner teams and for locks: whose delays it waited for
};

/// Follows one location, team in team. Times between lock events and barriers must have been given
/// to spend() before these. Memory grows with the call paths and locks between two barriers, up to
/// bounds. Not thread-safe.
class ThreadTimes {
 public:
  void spend(std::uint32_t path, std::uint64_t on, std::uint64_t ticks);
  void begin_team(std::uint64_t time, std::uint32_t path);
  void end_team();
  /// At a barrier: what was since the last one. `tree` is the location's.
  ThreadInterval arrive(std::uint64_t time, std::uint32_t path, const CallPathTree& tree);
  /// Whether the location is in a team in another one.
  [[nodiscard]] bool is_nested() const { return teams_.size() > 1; }
  /// Of the time in the barrier's `path` (which spend() gets as a whole) it waited so much; `late`
  /// is whom for, where the location is nested: an outer team's barrier may ask for that.
  void waited(std::uint32_t path, std::uint64_t ticks, const std::vector<LateThread>& late);
  /// `quest`: whether the time since quest.asked is known to be that of getting the lock.
  void acquired(const LockQuest& lock, bool quest);
  void released(std::uint32_t lock, std::uint64_t number, std::uint64_t time);

 private:
  // Holds and their pieces together. Of more the oldest are forgotten: what waited for these has no
  // known cause.
  static constexpr std::size_t kMostHeld = 1U << 15U;
  // Of one hold; of one with more nothing is kept.
  static constexpr std::size_t kMostPieces = 1U << 10U;
  // Locks that are held at once; of more the oldest are forgotten.
  static constexpr std::size_t kMostOpen = 64;
  // Waits for locks between two barriers; later ones have no known cause.
  static constexpr std::size_t kMostQuests = 1U << 15U;
  // Of more each counts as time in its call path.
  static constexpr std::size_t kMostCalls = 256;

  struct Level {
    ThreadInterval interval;
    std::vector<std::uint32_t> index;  // by path and 1: piece and 1, or 0
    std::size_t calls = 0;
    std::size_t held = 0;  // holds and their pieces
  };
  static void add(Level& level, const ThreadPiece& piece);
  static void keep(Level& level, LockHold hold);
  void merge_into_outer();

  std::vector<Level> teams_;
  std::vector<LockHold> open_;
};

}  // namespace huddle
