#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "profiles/formats/profile.hpp"
#include "profiles/recorder/sparse_counters.hpp"
#include "profiles/recorder/tick_clock.hpp"

namespace huddle::recorder {

/// What tells collective calls apart in a profile.
struct CollectiveKey {
  /// The caller's number for the MPI function, < 2^16.
  std::uint32_t operation = 0;
  /// On any communicator but MPI_COMM_WORLD.
  bool derived = false;
  /// < 2^31, as MPI counts ranks.
  std::uint32_t participants = 0;
  std::uint8_t size_class = 0;

  friend bool operator==(const CollectiveKey&, const CollectiveKey&) = default;
};

/// What one thread of a rank did. The thread itself writes, without locks; any thread may read
/// meanwhile.
class ThreadCounters {
 public:
  /// One message to a rank of MPI_COMM_WORLD. Throws std::bad_alloc.
  void add_message(Rank receiver, std::uint64_t bytes);
  /// One call, of `bytes` contributed and `ticks` inside. Throws std::bad_alloc.
  void add_collective(CollectiveKey key, std::uint64_t bytes, std::uint64_t ticks);
  /// Time inside MPI.
  void add_time(std::uint64_t ticks) {
    inside_.store(inside_.load(std::memory_order_relaxed) + ticks, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t ticks_inside() const {
    return inside_.load(std::memory_order_relaxed);
  }

 private:
  friend std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>&);
  friend std::vector<CollectiveCalls> merged_collectives(const std::vector<const ThreadCounters*>&,
                                                         const Interval&,
                                                         std::string (*)(std::uint32_t));

  SparseCounters<2> messages_;     // messages, bytes
  SparseCounters<3> collectives_;  // calls, bytes, ticks
  std::atomic<std::uint64_t> inside_{0};
};

/// The sums over all threads, ordered by receiver and size class.
std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>& threads);

/// The sums over all threads, ordered by operation, communicator, size class, participants.
/// `run` turns ticks into time, `name_of` operations into the profile's names.
std::vector<CollectiveCalls> merged_collectives(const std::vector<const ThreadCounters*>& threads,
                                                const Interval& run,
                                                std::string (*name_of)(std::uint32_t operation));

}  // namespace huddle::recorder
