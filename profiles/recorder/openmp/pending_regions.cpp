#include "profiles/recorder/openmp/pending_regions.hpp"

#include <algorithm>

namespace huddle::recorder {

void RegionPasses::add(std::uint64_t ticks, std::uint64_t serial_ticks,
                       std::uint32_t team) noexcept {
  const auto value = static_cast<double>(ticks);
  const bool first = count++ == 0;
  const double before = value - mean;
  mean += before / static_cast<double>(count);
  squares += before * (value - mean);
  shortest = first ? ticks : std::min(shortest, ticks);
  longest = std::max(longest, ticks);
  serial += serial_ticks;
  smallest_team = first ? team : std::min(smallest_team, team);
  largest_team = std::max(largest_team, team);
}

void RegionPasses::add(const RegionPasses& other) noexcept {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(count);
  const auto theirs = static_cast<double>(other.count);
  const double apart = other.mean - mean;
  mean += apart * theirs / (mine + theirs);
  squares += other.squares + apart * apart * mine * theirs / (mine + theirs);
  count += other.count;
  shortest = std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  serial += other.serial;
  smallest_team = std::min(smallest_team, other.smallest_team);
  largest_team = std::max(largest_team, other.largest_team);
}

PendingRegions::Row& PendingRegions::row_of(std::uintptr_t function) noexcept {
  // Functions begin at multiples of 16; Knuth's multiplicative hash.
  std::size_t slot = ((function >> 4U) * 0x9e3779b97f4a7c15ULL) >> 55U;
  static_assert(kSlots == std::size_t{1} << 9U);
  for (; slots_[slot] != 0; slot = (slot + 1) % kSlots)
    if (Row& row = rows_[slots_[slot] - 1U]; row.function == function) return row;
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
