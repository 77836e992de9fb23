#include "profiles/recorder/openmp/pending_regions.hpp"

#include <algorithm>

namespace huddle::recorder {

void RegionPasses::add(const RegionPasses& other) noexcept {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  count += other.count;
  smallest_team = std::min(smallest_team, other.smallest_team);
  largest_team = std::max(largest_team, other.largest_team);
  if (other.timed == 0) return;
  if (timed == 0) {
    first = other.first;
    shortest = other.shortest;
  }
  const double apart = static_cast<double>(other.first) - static_cast<double>(first);
  sum_of_squares += other.sum_of_squares + 2 * apart * other.sum + apart * apart * other.weight;
  sum += other.sum + apart * other.weight;
  timed += other.timed;
  weight += other.weight;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  serial += other.serial;
  serial_weight += other.serial_weight;
  observed += other.observed;
  observed_ticks += other.observed_ticks;
  busy += other.busy;
  busiest += other.busiest;
}

double RegionPasses::mean() const noexcept {
  return static_cast<double>(first) + sum / weight;
}

double RegionPasses::variance() const noexcept {
  return std::max(0.0, (sum_of_squares - sum * sum / weight) / weight);
}

double RegionPasses::serial_before_all() const noexcept {
  if (serial_weight <= 0) return 0;
  return timed == count ? serial : serial * static_cast<double>(count) / serial_weight;
}

PendingRegions::Row& PendingRegions::new_row(std::uintptr_t function, std::size_t slot) noexcept {
  if (used_ + 1 >= kMost && function != 0) return row_of(0);
  Row& row = rows_[used_++];
  row = Row{};
  row.function = function;
  row.counting =
      ReadingDraw(static_cast<std::uint32_t>((function * 0x9e3779b97f4a7c15ULL) >> 32U) | 1U);
  slots_[slot] = static_cast<std::uint16_t>(used_);
  return row;
}

void PendingRegions::clear() noexcept {
  const bool remembers = used_ <= kRemembered;
  for (std::size_t i = 0; i < used_; ++i) {
    rows_[i].passes = {};
    if (!remembers) rows_[i].function = kNoRegion;  // a pass may be under way that knows the row
  }
  if (remembers) return;
  slots_ = {};
  used_ = 0;
}

}  // namespace huddle::recorder
