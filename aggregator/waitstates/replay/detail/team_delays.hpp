#pragma once

// Who made the threads of a team wait, at its barriers and for its locks, and in which call path.

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
/// these. Not thread-safe.
class TeamDelays {
 public:
  /// `sink` lives longer than this.
  explicit TeamDelays(ActivitySink& sink) : sink_(sink) {}

  void arrive(std::uint32_t team, std::uint64_t barrier, const WaitingThread& thread,
              ThreadInterval interval);
  /// All have come, and `thread` has waited so long: reports why, and returns it.
  std::vector<LateThread> waited(std::uint32_t team, std::uint64_t barrier,
                                 const WaitingThread& thread, std::uint64_t ticks);
  /// `thread` is done with the barrier.
  void leave(std::uint32_t team, std::uint64_t barrier);
  /// Reports what is left; the replay is over.
  void close();

 private:
  struct Member {
    WaitingThread thread;
    ThreadInterval interval;
  };
  struct Meeting {
    std::vector<Member> members;  // by location, once it is settled
    std::uint32_t left = 0;
    bool settled = false;
  };
  struct Costs {
    double direct = 0;
    double propagated = 0;
  };

  void settle(Meeting& meeting);
  void report(const WaitingThread& thread, const LateThread& late, bool propagated);

  ActivitySink& sink_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Meeting> meetings_;
  // By rank, and location and path of the late one: waits of threads without activities, whose
  // place does not matter.
  std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, Costs> sums_;
};

}  // namespace huddle
