#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "profiles/recorder/process/call_clock.hpp"
#include "profiles/recorder/mpi/communicators.hpp"
#include "profiles/recorder/profile/counters.hpp"
#include "profiles/recorder/mpi/datatype_sizes.hpp"
#include "profiles/recorder/profile/phases.hpp"
#include "profiles/recorder/moves/rank_moves.hpp"
#include "profiles/recorder/recent_sends.hpp"

namespace huddle::recorder {

class ThreadTrace;

/// What the recorder keeps for a thread that calls MPI. Written by that thread only; of the
/// counters and the phases, others may read.
struct ThreadState {
  explicit ThreadState(std::size_t operations) : counters(operations) {}
  ThreadCounters counters;
  CallClock clock;
  CommunicatorCache communicators;
  WindowCache windows;
  DatatypeSizes sizes;
  RecentSends recent_sends;
  /// Only of the thread that called MPI_Init: its phases are the rank's. Owned elsewhere.
  PhaseTracker* phases = nullptr;
  /// Likewise, where ranks are moved; else null.
  RankMoves* moves = nullptr;
  /// Where the run is traced; else null. Owned elsewhere.
  ThreadTrace* trace = nullptr;
  /// To the last collective that was booked, in bytes.
  std::uint64_t contributed = 0;
};

/// All threads' states. A state outlives its thread and goes on to the next new one, so that memory
/// is bounded by the most threads alive at once and no count is lost. Safe from any thread.
class Threads {
 public:
  /// `operations`: how many MPI functions are counted.
  explicit Threads(std::size_t operations) : operations_(operations) {}
  /// A state that nobody uses. Throws std::bad_alloc.
  ThreadState& claim();
  void release(ThreadState& state) noexcept;
  /// The counters of all threads that were.
  [[nodiscard]] std::vector<const ThreadCounters*> counters() const;

 private:
  std::size_t operations_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadState>> states_;
  std::vector<ThreadState*> free_;
};

}  // namespace huddle::recorder
