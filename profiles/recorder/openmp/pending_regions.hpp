#pragma once

// The regions of OpenMP that one thread has seen since it was last known to which phase they
// belong.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "profiles/recorder/openmp/pass_sampling.hpp"
#include "profiles/recorder/openmp/team_work.hpp"

namespace huddle::recorder {

/// Passes of one region; times in ticks. Passes are counted one by one; of those that are timed,
/// one may stand for several (pass_sampling.hpp).
struct RegionPasses {
  std::uint64_t count = 0;
  std::uint64_t timed = 0;    // of them
  double weight = 0;          // how many the timed ones stand for
  std::uint64_t first = 0;    // of the timed ones: sums are of what they differ from it
  double sum = 0;             // of the differences, weighted
  double sum_of_squares = 0;  // likewise
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  double serial_weight = 0;  // how many those stand for, of which is known what was before them
  double serial = 0;         // before them, weighted
  std::uint32_t smallest_team = 0;
  std::uint32_t largest_team = 0;
  std::uint64_t observed = 0;  // of the timed ones: those whose threads' work was looked at
  double observed_ticks = 0;   // what they took, weighted by how many they stand for
  double busy = 0;             // of a thread, likewise
  double busiest = 0;          // of the busiest thread of each, likewise

  /// One more pass that was not timed. Inline, as all that runs at each region.
  void add(std::uint32_t team) noexcept {
    if (count == 0) smallest_team = largest_team = team;
    ++count;
    smallest_team = std::min(smallest_team, team);
    largest_team = std::max(largest_team, team);
  }
  /// One more pass that took `ticks`, and stands for `stands_for`. Without a division.
  void add(std::uint64_t ticks, std::uint32_t team, std::uint32_t stands_for) noexcept {
    add(team);
    if (timed == 0) first = shortest = longest = ticks;
    ++timed;
    const double more = static_cast<double>(ticks) - static_cast<double>(first);
    weight += stands_for;
    sum += more * stands_for;
    sum_of_squares += more * more * stands_for;
    shortest = std::min(shortest, ticks);
    longest = std::max(longest, ticks);
  }
  /// Adds to the pass that was added last: for how long the thread was in no region and not in MPI
  /// before it.
  void add_serial(std::uint64_t ticks, std::uint32_t stands_for) noexcept {
    serial += static_cast<double>(ticks) * stands_for;
    serial_weight += stands_for;
  }
  /// Adds to the pass that was added last and took `ticks`, which stands for so many in what its
  /// threads did.
  void add_work(const WorkOfTeam& work, std::uint64_t ticks, double stands_for) noexcept {
    ++observed;
    observed_ticks += static_cast<double>(ticks) * stands_for;
    busy += work.mean * stands_for;
    busiest += static_cast<double>(work.busiest) * stands_for;
  }
  /// All passes of `other`, too.
  void add(const RegionPasses& other) noexcept;
  /// At least one timed pass.
  [[nodiscard]] double mean() const noexcept;
  /// The mean of squared deviations from the mean, likewise.
  [[nodiscard]] double variance() const noexcept;
  /// Before all passes together; 0 if nothing is known of it.
  [[nodiscard]] double serial_before_all() const noexcept;
};

/// Passes by region, for one thread. Bounded: regions beyond kMost are counted as one that has no
/// function. How often regions come is remembered from one delimiter to the next, unless they are
/// many.
class PendingRegions {
 public:
  /// The most regions that are kept apart between two delimiters.
  static constexpr std::size_t kMost = 512;
  /// `function` is 0 of those beyond. A row stays where it is until clear(), and may then be of
  /// another region, or of none.
  struct Row {
    std::uintptr_t function = 0;
    RegionPasses passes;  ///< since clear(); may be none
    PassPace pace;
    WorkDraw work;
    /// In which passes the counters are read; by a seed of the region's own.
    ReadingDraw counting{ReadingDraw::kSeed};
  };

  /// The row of the region with this outlined function.
  Row& row_of(std::uintptr_t function) noexcept {
    // Functions begin at multiples of 16; Knuth's multiplicative hash.
    static_assert(kSlots == std::size_t{1} << 10U);
    std::size_t slot = ((function >> 4U) * 0x9e3779b97f4a7c15ULL) >> 54U;
    for (; slots_[slot] != 0; slot = (slot + 1) % kSlots)
      if (Row& row = rows_[slots_[slot] - 1U]; row.function == function) return row;
    return new_row(function, slot);
  }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] const Row* begin() const { return rows_.data(); }
  [[nodiscard]] const Row* end() const { return rows_.data() + used_; }
  void clear() noexcept;

 private:
  static constexpr std::size_t kSlots = 2 * kMost;       // a power of two
  static constexpr std::size_t kRemembered = kMost / 2;  // rows, from one clear() to the next
  static constexpr std::uintptr_t kNoRegion = 1;         // where no function begins
  [[gnu::cold]] Row& new_row(std::uintptr_t function, std::size_t slot) noexcept;

  // In slots_ is one more than the index of the region's row, by a hash of its function. The last
  // row is for all that found none.
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<Row, kMost> rows_{};
  std::size_t used_ = 0;
};

}  // namespace huddle::recorder
