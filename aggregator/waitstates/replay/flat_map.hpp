#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace huddle {

/// A key of 128 bits, made of whole numbers.
struct WideKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const WideKey&, const WideKey&) = default;
};

/// A map for what happens at every event: one flat array, no allocation per entry, entries can go.
/// `Value` is cheap to move and to construct. Pointers hold until the next insertion or removal.
template <class Value>
class FlatMap {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] Value* find(const WideKey& key) {
    if (cells_.empty()) return nullptr;
    for (std::size_t at = home_of(key); cells_[at].used; at = (at + 1) & mask_)
      if (cells_[at].key == key) return &cells_[at].value;
    return nullptr;
  }

  /// What is there, or a new one.
  Value& operator[](const WideKey& key) {
    if (Value* const there = find(key)) return *there;
    if ((size_ + 1) * 2 > cells_.size()) grow();
    std::size_t at = home_of(key);
    while (cells_[at].used) at = (at + 1) & mask_;
    cells_[at] = {key, Value{}, true};
    ++size_;
    return cells_[at].value;
  }

  void erase(const WideKey& key) {
    if (cells_.empty()) return;
    std::size_t at = home_of(key);
    while (cells_[at].used && !(cells_[at].key == key)) at = (at + 1) & mask_;
    if (cells_[at].used) close_gap(at);
  }

  /// In no particular order.
  template <class Visit>
  void for_each(Visit visit) {
    for (Cell& cell : cells_)
      if (cell.used) visit(cell.key, cell.value);
  }

 private:
  struct Cell {
    WideKey key;
    Value value{};
    bool used = false;
  };

  [[nodiscard]] std::size_t home_of(const WideKey& key) const {
    std::uint64_t hash = key.high * 0x9E3779B97F4A7C15ULL ^ key.low;
    hash = (hash ^ hash >> 32U) * 0xD6E8FEB86659FD93ULL;
    return (hash ^ hash >> 32U) & mask_;
  }

  // Entries behind the gap move up, so that a search never has to pass over removed ones.
  void close_gap(std::size_t gap) {
    for (std::size_t at = (gap + 1) & mask_; cells_[at].used; at = (at + 1) & mask_) {
      const std::size_t distance = (at - home_of(cells_[at].key)) & mask_;
      if (distance < ((at - gap) & mask_)) continue;
      cells_[gap] = std::move(cells_[at]);
      gap = at;
    }
    cells_[gap] = Cell{};
    --size_;
  }

  void grow() {
    constexpr std::size_t kFirst = 16;
    std::vector<Cell> old(cells_.empty() ? kFirst : cells_.size() * 2);
    old.swap(cells_);
    mask_ = cells_.size() - 1;
    for (Cell& cell : old) {
      if (!cell.used) continue;
      std::size_t at = home_of(cell.key);
      while (cells_[at].used) at = (at + 1) & mask_;
      cells_[at] = std::move(cell);
    }
  }

  std::vector<Cell> cells_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace huddle
