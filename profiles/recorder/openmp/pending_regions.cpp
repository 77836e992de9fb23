#include "profiles/recorder/openmp/pending_regions.hpp"

#include <algorithm>

namespace huddle::recorder {

void RegionPasses::add(const RegionPasses& other) noexcept {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double apart = static_cast<double>(other.first) - static_cast<double>(first);
  const auto theirs = static_cast<double>(other.count);
  sum_of_squares += other.sum_of_squares + 2 * apart * other.sum + apart * apart * theirs;
  sum += other.sum + apart * theirs;
  count += other.count;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  serial += other.serial;
  smallest_team = std::min(smallest_team, other.smallest_team);
  largest_team = std::max(largest_team, other.largest_team);
}

double RegionPasses::mean() const noexcept {
  return static_cast<double>(first) + sum / static_cast<double>(count);
}

double RegionPasses::squares() const noexcept {
  return std::max(0.0, sum_of_squares - sum * sum / static_cast<double>(count));
}

PendingRegions::Row& PendingRegions::new_row(std::uintptr_t function, std::size_t slot) noexcept {
  if (used_ + 1 >= kMost && function != 0) return row_of(0);
  Row& row = rows_[used_++];
  row = {function, {}};
  slots_[slot] = static_cast<std::uint16_t>(used_);
  return row;
}

void PendingRegions::clear() noexcept {
  if (used_ == 0) return;
  slots_ = {};
  used_ = 0;
}

}  // namespace huddle::recorder
