#pragma once

// State that the recorder keeps for each thread of a rank that calls MPI.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiles/recorder/mpi/communicators.hpp"
#include "profiles/recorder/mpi/mpi_library.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/recorder/profile/counters.hpp"
#include "profiles/recorder/profile/phases.hpp"
#include "profiles/vocabulary/ids.hpp"

namespace huddle::recorder {

/// The transfer that each start of a persistent request makes.
struct PersistentTransfer {
  struct Message {
    Traffic kind = Traffic::kSent;
    Rank receiver;
    std::uint64_t bytes = 0;
  };
  /// Key of a collective; its ticks are not known, as MPI_Startall may start several.
  std::optional<CollectiveKey> collective;
  std::uint64_t contributed = 0;
  std::vector<Message> messages;
};

/// The transfers that were prepared by MPI_Send_init, MPI_Allreduce_init and their kin, from there
/// to MPI_Request_free. Safe from any thread.
class PersistentTransfers {
 public:
  void remember(MPI_Request request, PersistentTransfer transfer) {
    const std::lock_guard lock(mutex_);
    transfers_.insert_or_assign(request, std::move(transfer));
    some_.store(true, std::memory_order_relaxed);
  }
  void forget(MPI_Request request) {
    if (!some_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    transfers_.erase(request);
  }
  /// Calls visit(transfer), unless `request` is something else, such as a persistent receive.
  template <class Visit>
  void visit(MPI_Request request, Visit visit) {
    if (!some_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(mutex_);
    const auto place = transfers_.find(request);
    if (place != transfers_.end()) visit(place->second);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_Request, PersistentTransfer> transfers_;
  std::atomic<bool> some_{false};  // spares programs without such requests the lock
};

/// Where the counts of a thread's last sends are: programs repeat their sends, and to find the
/// receiver, the size and the place in the table again takes longer than to count. One thread's.
class RecentSends {
 public:
  /// Counts a send like one that was remembered; false if there is none.
  [[gnu::always_inline]] bool count_again(MPI_Count count, MPI_Datatype type, int to,
                                          MPI_Comm comm) {
    const Entry& entry = entries_[place_of(count, to)];
    if (entry.count != count || entry.to != to || entry.type != type || entry.comm != comm ||
        entry.generation != handle_generation.load(std::memory_order_acquire))
      return false;
    return entry.cell.add({1, entry.bytes});
  }

  /// `type` must be one that is never freed.
  void remember(MPI_Count count, MPI_Datatype type, int to, MPI_Comm comm, std::uint64_t bytes,
                MessageCell cell) {
    entries_[place_of(count, to)] = {
        comm, type, count, to, handle_generation.load(std::memory_order_acquire), bytes, cell};
  }

 private:
  static constexpr std::size_t kEntries = 32;

  struct Entry {
    MPI_Comm comm{};
    MPI_Datatype type{};
    MPI_Count count = -1;
    int to = 0;
    std::uint64_t generation = 0;
    std::uint64_t bytes = 0;
    MessageCell cell;
  };

  static std::size_t place_of(MPI_Count count, int to) {
    return (static_cast<std::size_t>(to) ^ static_cast<std::size_t>(count) * 5) % kEntries;
  }

  std::array<Entry, kEntries> entries_{};
};

class RunActor;
class ThreadTrace;

/// State that the recorder keeps for a thread that calls MPI. Written by that thread only; of the
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
  /// Likewise, where it is to be told of delimiters; else null.
  RunActor* actor = nullptr;
  /// Where the run is traced; else null. Owned elsewhere.
  ThreadTrace* trace = nullptr;
  /// Bytes contributed to the last collective that was counted.
  std::uint64_t contributed = 0;
};

/// All threads' states. A state outlives its thread and goes on to the next new one, so that memory
/// is bounded by the most threads alive at once and no count is lost. Safe from any thread.
class Threads {
 public:
  /// `operations`: how many MPI functions are counted.
  explicit Threads(std::size_t operations) : operations_(operations) {}
  /// A state that is not in use. Throws std::bad_alloc.
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
