#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

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

  /// Adds `amounts` to the sums of `key` (< kKeyLimit), and tells where these are. Only the owner's
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

  /// What the table takes.
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

  mutable std::mutex mutex_;      // held by who reads, and by the writer where it changes table_
  std::uint32_t growths_ = 0;     // of the writer
  std::unique_ptr<Table> table_;  // the writer itself reads the pointer without the lock
};

}  // namespace huddle::recorder
