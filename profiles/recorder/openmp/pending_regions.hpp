#pragma once

// What one thread has seen of OpenMP's regions since it was last known to which phase they belong.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace huddle::recorder {

/// Passes of one region; times in ticks.
struct RegionPasses {
  std::uint64_t count = 0;
  std::uint64_t first = 0;    // of the passes: sums are of what they differ from it
  double sum = 0;             // of the differences
  double sum_of_squares = 0;  // likewise
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  std::uint64_t serial = 0;  // before them
  std::uint32_t smallest_team = 0;
  std::uint32_t largest_team = 0;

  /// One more pass. Inline, and without a division: this runs at each region.
  void add(std::uint64_t ticks, std::uint64_t serial_ticks, std::uint32_t team) noexcept {
    if (count == 0) {
      first = shortest = longest = ticks;
      smallest_team = largest_team = team;
    }
    ++count;
    const double more = static_cast<double>(ticks) - static_cast<double>(first);
    sum += more;
    sum_of_squares += more * more;
    shortest = std::min(shortest, ticks);
    longest = std::max(longest, ticks);
    serial += serial_ticks;
    smallest_team = std::min(smallest_team, team);
    largest_team = std::max(largest_team, team);
  }
  /// All passes of `other`, too.
  void add(const RegionPasses& other) noexcept;
  /// At least one pass.
  [[nodiscard]] double mean() const noexcept;
  /// The sum of squared deviations from the mean.
  [[nodiscard]] double squares() const noexcept;
};

/// Passes by region, for one thread. Bounded: regions beyond kMost are counted as one that has no
/// function.
class PendingRegions {
 public:
  /// How many regions are kept apart between two delimiters.
  static constexpr std::size_t kMost = 256;
  struct Row {
    std::uintptr_t function = 0;
    RegionPasses passes;
  };

  /// A pass of the region with this outlined function.
  void add(std::uintptr_t function, std::uint64_t ticks, std::uint64_t serial,
           std::uint32_t team) noexcept {
    row_of(function).passes.add(ticks, serial, team);
  }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] const Row* begin() const { return rows_.data(); }
  [[nodiscard]] const Row* end() const { return rows_.data() + used_; }
  void clear() noexcept;

 private:
  static constexpr std::size_t kSlots = 2 * kMost;  // a power of two
  Row& row_of(std::uintptr_t function) noexcept {
    // Functions begin at multiples of 16; Knuth's multiplicative hash.
    static_assert(kSlots == std::size_t{1} << 9U);
    std::size_t slot = ((function >> 4U) * 0x9e3779b97f4a7c15ULL) >> 55U;
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots)
      if (Row& row = rows_[slots_[slot] - 1U]; row.function == function) return row;
    return new_row(function, slot);
  }
  [[gnu::cold]] Row& new_row(std::uintptr_t function, std::size_t slot) noexcept;

  // In slots_ is one more than the index of the region's row, by a hash of its function. The last
  // row is for all that found none.
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<Row, kMost> rows_{};
  std::size_t used_ = 0;
};

}  // namespace huddle::recorder
