#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace huddle::waitstates {

/// A key of 128 bits, made of whole numbers.
struct WideKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend bool operator==(const WideKey&, const WideKey&) = default;
};

struct WideKeyHash {
  std::size_t operator()(const WideKey& key) const {
    std::uint64_t hash = key.high * 0x9E3779B97F4A7C15ULL ^ key.low;
    hash = (hash ^ hash >> 32U) * 0xD6E8FEB86659FD93ULL;
    return hash ^ hash >> 32U;
  }
};

/// A map for look-ups at every event: one flat array, no allocation per entry. Insertion and
/// removal invalidate references. See docs/decisions/0101-replay.md.
template <class Value>
using FlatMap = tsl::robin_map<WideKey, Value, WideKeyHash>;

/// Null if there is none.
template <class Value>
[[nodiscard]] Value* find_in(FlatMap<Value>& map, const WideKey& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found.value();
}

inline constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

/// Things with numbers; numbers of things that went are used again, with the memory they have.
template <class Thing>
class Pool {
 public:
  /// A number whose thing is as it was left by the one before: the caller sets it.
  std::uint32_t acquire() {
    ++living_;
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    things_.emplace_back();
    return static_cast<std::uint32_t>(things_.size() - 1);
  }

  void release(std::uint32_t index) {
    --living_;
    free_.push_back(index);
  }

  Thing& operator[](std::uint32_t index) { return things_[index]; }

  /// Of those that went, too, as they were left.
  template <class Visit>
  void for_each(Visit visit) {
    for (Thing& thing : things_) visit(thing);
  }

  [[nodiscard]] std::size_t living() const { return living_; }

 private:
  std::vector<Thing> things_;
  std::vector<std::uint32_t> free_;
  std::size_t living_ = 0;
};

}  // namespace huddle::waitstates
