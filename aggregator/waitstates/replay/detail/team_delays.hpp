#pragma once

// Who made the threads of a team wait, at its barriers and for its locks, and in which call path.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "aggregator/waitstates/replay/activity.hpp"
#include "aggregator/waitstates/replay/detail/thread_times.hpp"

namespace huddle {

/// A thread that waits.
struct WaitingThread {
  std::uint32_t rank = 0;
  std::uint32_t location = 0;
  std::uint64_t before = kNoActivity;  ///< activities that it had; kNoActivity: it has none
  std::uint32_t path = 0;              ///< it waits there
};

/// Compares the threads of a team at each barrier that all have reached: a wait is shared among the
/// regions in which the last one spent more time since the barrier before than the one that waits
/// (or the team's begin, that it came later to included), and its own waits for locks, in
/// proportion. A wait for a lock is what those who had it meanwhile did with it. Only locks whose
/// holders come to the same barrier are known so. All threads of a rank must be followed by one of
/// these. What is reported does not depend on the order in which they are followed. Not
/// thread-safe.
class TeamDelays {
 public:
  /// `sink` lives longer than this.
  explicit TeamDelays(ActivitySink& sink) : sink_(sink) {}

  /// A thread of a team of `size` comes to a barrier.
  void arrive(std::uint32_t team, std::uint64_t barrier, std::size_t size,
              const WaitingThread& thread, ThreadInterval interval);
  /// `thread` has waited so long there: reports why, if all have come, and returns it if `returns`.
  std::vector<LateThread> waited(std::uint32_t team, std::uint64_t barrier,
                                 const WaitingThread& thread, std::uint64_t ticks, bool returns);
  /// A thread that has come is done with the barrier.
  void leave(std::uint32_t team, std::uint64_t barrier);
  /// Reports what is left; the replay is over.
  void close();

 private:
  struct Member {
    WaitingThread thread;
    ThreadInterval interval;
    std::map<std::uint32_t, std::int64_t> by_region;  // ticks of the pieces, once it is settled
  };
  struct Meeting {
    std::vector<Member> members;  // by location, once it is settled
    std::size_t size = 0;
    std::size_t left = 0;
    bool settled = false;
  };
  // In parts of a tick: whole numbers have the same sum in any order.
  struct Costs {
    std::int64_t direct = 0;
    std::int64_t propagated = 0;
  };

  static std::vector<LateThread> excess_of(const Member& late, const Member* other);
  void settle(Meeting& meeting);
  void report(const WaitingThread& thread, const LateThread& late, bool propagated);

  ActivitySink& sink_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Meeting> meetings_;
  // By rank, and location and path of the late one: waits of threads without activities, whose
  // place does not matter.
  std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, Costs> sums_;
};

}  // namespace huddle
