#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "profiles/recorder/communicators.hpp"
#include "profiles/recorder/counters.hpp"
#include "profiles/recorder/datatype_sizes.hpp"

namespace huddle::recorder {

/// What the recorder keeps for a thread that calls MPI. Written by that thread only; of the
/// counters, others may read.
struct ThreadState {
  ThreadCounters counters;
  CommunicatorCache communicators;
  DatatypeSizes sizes;
};

/// All threads' states. A state outlives its thread and goes on to the next new one, so that memory
/// is bounded by the most threads alive at once and no count is lost. Safe from any thread.
class Threads {
 public:
  /// A state that nobody uses. Throws std::bad_alloc.
  ThreadState& claim();
  void release(ThreadState& state) noexcept;
  /// The counters of all threads that were.
  [[nodiscard]] std::vector<const ThreadCounters*> counters() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadState>> states_;
  std::vector<ThreadState*> free_;
};

}  // namespace huddle::recorder
