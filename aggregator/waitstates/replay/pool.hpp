#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace huddle {

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

}  // namespace huddle
