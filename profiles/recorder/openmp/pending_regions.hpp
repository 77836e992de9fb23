#pragma once

// What one thread has seen of OpenMP's regions since it was last known to which phase they belong.

#include <array>
#include <cstddef>
#include <cstdint>

namespace huddle::recorder {

/// Passes of one region; times in ticks.
struct RegionPasses {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // the sum of squared deviations from the mean
  std::uint64_t shortest = 0;
  std::uint64_t longest = 0;
  std::uint64_t serial = 0;  // before them
  std::uint32_t smallest_team = 0;
  std::uint32_t largest_team = 0;

  /// One more pass. Welford's recurrence (1962).
  void add(std::uint64_t ticks, std::uint64_t serial_ticks, std::uint32_t team) noexcept;
  /// All passes of `other`, too (Chan, Golub and LeVeque 1979).
  void add(const RegionPasses& other) noexcept;
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
  Row& row_of(std::uintptr_t function) noexcept;

  // In slots_ is one more than the index of the region's row, by a hash of its function. The last
  // row is for all that found none.
  std::array<std::uint16_t, kSlots> slots_{};
  std::array<Row, kMost> rows_{};
  std::size_t used_ = 0;
};

}  // namespace huddle::recorder
