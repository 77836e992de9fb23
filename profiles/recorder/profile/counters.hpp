#pragma once

// Counters of a thread: messages by receiver and size class, collectives and calls.

#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/recorder/process/clocks.hpp"
#include "profiles/vocabulary/size_class.hpp"

namespace huddle::recorder {

/// Sums by key, for keys that are few among many possible ones: an open-addressing hash table whose
/// memory grows with the keys that occurred (1.2 to 2.4 slots a key).
///
/// One thread writes, without locks except when the table grows; any thread may read at any time
/// and sees each sum at some moment of the recent past.
template <std::size_t Columns>
class SparseCounters {
  struct Slot;
  struct Table;

 public:
  using Row = std::array<std::uint64_t, Columns>;
  /// Keys are smaller than this.
  static constexpr std::uint64_t kKeyLimit = ~std::uint64_t{0};

  /// The sums of one key, as long as the table does not grow. The owner's thread's.
  class Cell {
   public:
    Cell() = default;
    /// Adds like SparseCounters::add(); false if the table has grown since, or the cell is empty.
    [[gnu::always_inline]] bool add(const Row& amounts) const {
      if (slot_ == nullptr || *growths_now_ != growths_) return false;
      slot_->add(amounts);
      return true;
    }

   private:
    friend class SparseCounters;
    Cell(Slot* slot, const std::uint32_t& growths)
        : slot_(slot), growths_(growths), growths_now_(&growths) {}
    Slot* slot_ = nullptr;
    // Not the table's address: a later table may have the address of an earlier one.
    std::uint32_t growths_ = 0;
    const std::uint32_t* growths_now_ = nullptr;
  };

  /// Adds `amounts` to the sums of `key` (< kKeyLimit), and returns their place. Only the owner's
  /// thread may call it. Allocates when the table must grow: throws std::bad_alloc, and then has
  /// changed nothing.
  Cell add(std::uint64_t key, const Row& amounts) {
    Slot* slot = table_ ? table_->find(key + 1) : nullptr;
    if (slot == nullptr || slot->tag.load(std::memory_order_relaxed) == 0) [[unlikely]]
      slot = &add_first(key, amounts);
    else
      slot->add(amounts);
    return Cell(slot, growths_);
  }

  /// Calls visit(key, row) for each key, in no particular order. It must not call this object.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(mutex_);
    if (!table_) return;
    for (const Slot& slot : table_->slots) {
      const std::uint64_t tag = slot.tag.load(std::memory_order_acquire);
      if (tag == 0) continue;
      visit(tag - 1, slot.row());
    }
  }

  /// Returns the memory that the table takes.
  [[nodiscard]] std::size_t memory_bytes() const {
    const std::lock_guard lock(mutex_);
    return table_ ? table_->slots.size() * sizeof(Slot) : 0;
  }

 private:
  static constexpr std::size_t kFirstSlots = 16;

  struct Slot {
    std::atomic<std::uint64_t> tag{0};  // the key + 1; 0 if free
    std::array<std::atomic<std::uint64_t>, Columns> sums{};

    void add(const Row& amounts) {
      for (std::size_t i = 0; i < Columns; ++i)
        sums[i].store(sums[i].load(std::memory_order_relaxed) + amounts[i],
                      std::memory_order_relaxed);
    }
    [[nodiscard]] Row row() const {
      Row row;
      for (std::size_t i = 0; i < Columns; ++i) row[i] = sums[i].load(std::memory_order_relaxed);
      return row;
    }
  };

  struct Table {
    explicit Table(std::size_t size)
        : slots(size), shift(static_cast<unsigned>(64 - std::countr_zero(size))) {}

    // The slot of `tag`, or the free one where it belongs. There always is a free one.
    Slot* find(std::uint64_t tag) {
      std::size_t at = static_cast<std::size_t>((tag * 0x9e3779b97f4a7c15ULL) >> shift);
      for (;;) {
        const std::uint64_t found = slots[at].tag.load(std::memory_order_relaxed);
        if (found == tag || found == 0) return &slots[at];
        at = (at + 1) & (slots.size() - 1);
      }
    }
    // At 5 of 6 slots a search still takes few steps, and memory is what counts.
    [[nodiscard]] bool is_full() const { return 6 * (used + 1) > 5 * slots.size(); }
    void fill(Slot& slot, std::uint64_t tag, const Row& row) {
      for (std::size_t i = 0; i < Columns; ++i)
        slot.sums[i].store(row[i], std::memory_order_relaxed);
      slot.tag.store(tag, std::memory_order_release);
      ++used;
    }

    std::vector<Slot> slots;  // a power of two of them
    unsigned shift;
    std::size_t used = 0;
  };

  [[gnu::cold, gnu::noinline]] Slot& add_first(std::uint64_t key, const Row& amounts) {
    if (!table_ || table_->is_full()) grow();
    Slot& slot = *table_->find(key + 1);
    table_->fill(slot, key + 1, amounts);
    return slot;
  }

  void grow() {
    auto larger = std::make_unique<Table>(table_ ? 2 * table_->slots.size() : kFirstSlots);
    if (table_)
      for (const Slot& slot : table_->slots) {
        const std::uint64_t tag = slot.tag.load(std::memory_order_relaxed);
        if (tag != 0) larger->fill(*larger->find(tag), tag, slot.row());
      }
    const std::lock_guard lock(mutex_);
    table_.swap(larger);
    ++growths_;
  }

  mutable std::mutex mutex_;      // held by readers, and by the writer where it changes table_
  std::uint32_t growths_ = 0;     // of the writer
  std::unique_ptr<Table> table_;  // the writer itself reads the pointer without the lock
};

/// The key by which a profile tells collective calls apart.
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

/// Counters of what one thread of a rank did. The thread itself writes, without locks; any thread
/// may read meanwhile.
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
  /// One call that was, from `begin` to `end`, and stands for `weight` calls. `follows_timed`: the
  /// thread's call before it was timed too.
  void add_timed_call(std::uint32_t operation, std::uint64_t begin, std::uint64_t end,
                      std::uint32_t weight, bool follows_timed) {
    Calls& calls = calls_[operation];
    add(calls.calls, 1);
    add(calls.timed, 1);
    add(calls.ticks, (end - begin) * weight);
    add(inside_, (end - begin) * weight);
    if (follows_timed && last_end_ != 0) {
      add(calls.followed, 1);
      add(calls.ticks_before, begin - last_end_);
    }
    last_end_ = end;
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
    // Number of those that follow a timed call, and the time since that.
    Count followed{0};
    Count ticks_before{0};
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
  std::uint64_t last_end_ = 0;  // of the last call that was timed
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
