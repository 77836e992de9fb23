#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/profile/sparse_counters.hpp"
#include "profiles/recorder/process/tick_clock.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle::recorder {

/// What tells collective calls apart in a profile.
struct CollectiveKey {
  /// The caller's number for the MPI function.
  std::uint32_t operation = 0;
  /// Communicator::id; 0 for MPI_COMM_WORLD.
  std::uint64_t communicator = 0;
  std::uint8_t size_class = 0;
  /// < 2^31, as MPI counts ranks.
  std::uint32_t participants = 0;

  friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;
};

/// The kinds of traffic that a profile has matrices for.
enum class Traffic : std::uint8_t { kSent, kSentToNeighbours, kPut, kFetched };
inline constexpr std::size_t kTrafficKinds = 4;

/// Where a thread's sums for one partner and size class are.
using MessageCell = SparseCounters<2>::Cell;

/// What one thread of a rank did. The thread itself writes, without locks; any thread may read
/// meanwhile.
class ThreadCounters {
 public:
  /// `operations`: how many MPI functions there are to count, numbered from 0.
  explicit ThreadCounters(std::size_t operations) : calls_(operations) {}

  /// One message to, or from, a rank of MPI_COMM_WORLD. The cell is valid for this thread, as long
  /// as this object. Throws std::bad_alloc.
  MessageCell add_message(Traffic kind, Rank partner, std::uint64_t bytes) {
    return messages_[static_cast<std::size_t>(kind)].add(packed(partner, size_class_of(bytes)),
                                                         {1, bytes});
  }
  /// One call, of `bytes` contributed and `ticks` inside. Throws std::bad_alloc.
  void add_collective(const CollectiveKey& key, std::uint64_t bytes, std::uint64_t ticks);

  /// One call that was not timed.
  void add_call(std::uint32_t operation) { add(calls_[operation].calls, 1); }
  /// One call that was, and stands for `weight` calls.
  void add_timed_call(std::uint32_t operation, std::uint64_t ticks, std::uint32_t weight) {
    Calls& calls = calls_[operation];
    add(calls.calls, 1);
    add(calls.timed, 1);
    add(calls.ticks, ticks * weight);
    add(inside_, ticks * weight);
  }
  /// The time inside MPI so far: an estimate where not all calls were timed.
  [[nodiscard]] std::uint64_t ticks_inside() const {
    return inside_.load(std::memory_order_relaxed);
  }

 private:
  using Count = std::atomic<std::uint64_t>;
  struct Calls {
    Count calls{0};
    Count timed{0};
    Count ticks{0};
  };
  struct CollectiveSums {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ticks = 0;
    std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  };
  struct CollectiveHash {
    std::size_t operator()(const CollectiveKey& key) const;
  };
  // One thread writes: no locked instruction is needed.
  static void add(Count& count, std::uint64_t amount) {
    count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  // Sorts as the profile lists them.
  static constexpr std::uint64_t kSizeClassBits = 7;
  static std::uint64_t packed(Rank partner, std::uint8_t size_class) {
    return (std::uint64_t{partner.value} << kSizeClassBits) | size_class;
  }

  friend std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>&,
                                                   Traffic);
  friend std::vector<CollectiveCalls> merged_collectives(const std::vector<const ThreadCounters*>&,
                                                         const Interval&,
                                                         const std::string& (*)(std::uint32_t));
  friend std::vector<CallKind> merged_calls(const std::vector<const ThreadCounters*>&,
                                            const Interval&, const std::string& (*)(std::uint32_t));

  std::array<SparseCounters<2>, kTrafficKinds> messages_;  // messages, bytes
  std::vector<Calls> calls_;
  // A lock costs little beside a collective.
  mutable std::mutex mutex_;
  std::unordered_map<CollectiveKey, CollectiveSums, CollectiveHash> collectives_;
  Count inside_{0};
};

/// The sums over all threads, ordered by partner and size class.
std::vector<SentMessages> merged_messages(const std::vector<const ThreadCounters*>& threads,
                                          Traffic kind);

/// The sums over all threads, ordered by operation, communicator, size class, participants.
/// `run` turns ticks into time, `name_of` operations into the profile's names.
std::vector<CollectiveCalls> merged_collectives(
    const std::vector<const ThreadCounters*>& threads, const Interval& run,
    const std::string& (*name_of)(std::uint32_t operation));

/// The sums over all threads, ordered by name, of what was called at all.
std::vector<CallKind> merged_calls(const std::vector<const ThreadCounters*>& threads,
                                   const Interval& run,
                                   const std::string& (*name_of)(std::uint32_t operation));

}  // namespace huddle::recorder
