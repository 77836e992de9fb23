#include "spank_plugin/runtime/balance/cycle_finder.hpp"

#include <algorithm>

namespace huddle::runtime {

bool CycleFinder::pass(std::uint64_t key_of_it) noexcept {
  keys_[passed_ % kKept] = key_of_it;
  ++passed_;
  if (length_ == 0) {
    search();
    return length_ != 0;
  }
  if (key(length_) != key_of_it) {
    least_ = length_ + 1;
    length_ = 0;
    searched_ = 0;
    return false;
  }
  if (++position_ < length_) return false;
  position_ = 0;
  return true;
}

// Three times the same, and not only two or three calls in a row.
bool CycleFinder::repeats(std::size_t length) const noexcept {
  const std::size_t compared = std::max<std::size_t>(2 * length, 6);
  if (passed_ < compared + length) return false;
  for (std::size_t back = 0; back < compared; ++back)
    if (key(back) != key(back + length)) return false;
  return true;
}

void CycleFinder::search() noexcept {
  for (std::size_t length = least_; length <= kLongest; ++length)
    if (repeats(length)) {
      length_ = length;
      position_ = 0;
      return;
    }
  // The program may have come to another part, whose cycles are shorter.
  if (++searched_ > kKept) {
    least_ = 1;
    searched_ = 0;
  }
}

}  // namespace huddle::runtime
