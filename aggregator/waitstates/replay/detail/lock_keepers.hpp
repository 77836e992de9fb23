#pragma once

// Who waited for whose lock: of a target's part of a window, and of threads.

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/detail/replay_message.hpp"

namespace huddle::waitstates {

/// The locks of windows, by target. MPI does not say when a lock was
/// granted: MPI_Win_lock may return at once, and MPI_Win_unlock wait. But of two ranks whose locks
/// exclude each other, the one whose MPI_Win_unlock ended first had the lock first. All calls are
/// kept (about 100 bytes each), since a rank that is behind may still turn out to have been first.
class WindowLocks {
 public:
  using Answer = std::function<void(const ReplayMessage&)>;

  explicit WindowLocks(Answer answer) : answer_(std::move(answer)) {}

  /// A kWindowLock, those of a location in their order.
  void take(const ReplayMessage& call);

  /// All calls are known: answers those that waited, and forgets all.
  void resolve();

 private:
  struct Call {
    std::uint64_t enter = 0;
    std::uint64_t leave = 0;
    std::uint64_t activity = kNoActivity;
    std::uint32_t path = 0;
  };
  struct Holding {
    Call lock;
    Call unlock;
    std::uint32_t rank = 0;
    std::uint32_t location = 0;
    bool exclusive = false;
  };
  struct OfTarget {
    std::vector<Holding> over;
    std::map<std::uint32_t, Holding> open;  // by location: locked, not unlocked
  };

  void resolve(std::vector<Holding>& holdings);
  void answer(const std::vector<Holding>& holdings, std::size_t waiting, const Call& call);

  Answer answer_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, OfTarget>
      targets_;  // target, window, tag
};

/// The locks of threads, by rank: a trace counts how often each was acquired, so that who got it
/// waited until it was released the time before.
class ThreadLocks {
 public:
  using Answer = std::function<void(const ReplayMessage&)>;

  explicit ThreadLocks(Answer answer) : answer_(std::move(answer)) {}

  /// A kThreadLock.
  void take(const ReplayMessage& event);

 private:
  void settle(const ReplayMessage& acquired, std::uint64_t released);

  // Of a sound trace there is one for each lock; of others, where numbers have gaps, no more than
  // this is kept.
  static constexpr std::size_t kMostOpen = 1U << 20U;

  Answer answer_;
  FlatMap<ReplayMessage> acquired_;  // by rank, lock and number: the release before is not known
  FlatMap<std::uint64_t> released_;  // by rank, lock and number: when; the next is not known
};

}  // namespace huddle::waitstates
