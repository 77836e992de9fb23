#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace huddle::recorder {

/// Sums by key, for keys that are few among many possible ones: an open-addressing hash table whose
/// memory grows with the keys that occurred (at most 4 slots a key, and as much again for the
/// outgrown tables, which are kept because a reader may still be in one).
///
/// One thread writes, without locks; any thread may read at any time and sees each sum at some
/// moment of the recent past.
template <std::size_t Columns>
class SparseCounters {
 public:
  using Row = std::array<std::uint64_t, Columns>;
  /// Keys are smaller than this.
  static constexpr std::uint64_t kKeyLimit = ~std::uint64_t{0};

  /// Adds `amounts` to the sums of `key` (< kKeyLimit). Only the owner's thread may call it.
  /// Allocates when the table must grow: throws std::bad_alloc, and then has changed nothing.
  void add(std::uint64_t key, const Row& amounts) {
    Table* table = current_.load(std::memory_order_relaxed);
    if (table == nullptr) table = grow(nullptr);
    Slot* slot = table->find(key + 1);
    if (slot->tag.load(std::memory_order_relaxed) == 0) {
      if (2 * (table->used + 1) > table->slots.size()) {
        table = grow(table);
        slot = table->find(key + 1);
      }
      table->fill(*slot, key + 1, amounts);
      return;
    }
    for (std::size_t i = 0; i < Columns; ++i)
      slot->sums[i].store(slot->sums[i].load(std::memory_order_relaxed) + amounts[i],
                          std::memory_order_relaxed);
  }

  /// Calls visit(key, row) for each key, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    const Table* table = current_.load(std::memory_order_acquire);
    if (table == nullptr) return;
    for (const Slot& slot : table->slots) {
      const std::uint64_t tag = slot.tag.load(std::memory_order_acquire);
      if (tag == 0) continue;
      visit(tag - 1, slot.row());
    }
  }

 private:
  static constexpr std::size_t kFirstSlots = 32;

  struct Slot {
    std::atomic<std::uint64_t> tag{0};  // the key + 1; 0 if free
    std::array<std::atomic<std::uint64_t>, Columns> sums{};

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

  Table* grow(const Table* old) {
    auto larger = std::make_unique<Table>(old == nullptr ? kFirstSlots : 2 * old->slots.size());
    if (old != nullptr)
      for (const Slot& slot : old->slots) {
        const std::uint64_t tag = slot.tag.load(std::memory_order_relaxed);
        if (tag != 0) larger->fill(*larger->find(tag), tag, slot.row());
      }
    tables_.push_back(std::move(larger));
    current_.store(tables_.back().get(), std::memory_order_release);
    return tables_.back().get();
  }

  std::atomic<Table*> current_{nullptr};
  std::vector<std::unique_ptr<Table>> tables_;  // the last is current
};

}  // namespace huddle::recorder
