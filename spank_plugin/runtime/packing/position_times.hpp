#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "spank_plugin/runtime/packing/anchor_search.hpp"
#include "spank_plugin/runtime/packing/pass_times.hpp"
#include "spank_plugin/runtime/packing/period_place.hpp"

namespace huddle::runtime {

/// The times of passes of regions at their positions in a period (PeriodPlace), on all cores and on
/// fewer: a region that is a multigrid method's smoother is large at one of them and tiny at
/// another. Once a period and its anchor were found (AnchorSearch), each pass is counted at its
/// position, and those at none, such as in a period that takes another turn, at position 0. A
/// period that has not been there for longer than it was is forgotten, and another one looked for.
/// One thread's, but that it may be copied while that waits.
class PositionTimes {
 public:
  /// Positions that are kept; those beyond are counted at position 0.
  static constexpr std::size_t kMost = 1024;
  /// Passes at a position, as the program was started, below which it counts as position 0.
  static constexpr std::uint64_t kFewestUsual = 8;
  /// The most that are in all().
  static constexpr std::size_t kMostShown = 256;

  /// A delimiter of MPI ends `group`.
  void delimiter(std::uint64_t group);
  /// A region begins.
  void begins(std::uint64_t region) noexcept { place_.region(region); }
  /// It has ended after `ticks`, on `cores`, 0 being as the program was started; `first`: it is the
  /// first pass of it there in its window. Unless it `counts`, as with a smaller team, only the
  /// period goes on.
  void ended(std::uint64_t region, std::uint32_t cores, bool first, std::uint64_t ticks,
             bool counts = true);

  /// The number of times that a region comes in a period, if it is at some of its positions clearly
  /// longer than at others; else 0.
  [[nodiscard]] std::uint32_t differing(std::uint64_t region) const;

  /// A region at one position.
  struct Row {
    std::uint64_t region = 0;
    /// PeriodPlace::context(), and position(); 0: at no position that is known.
    std::uint64_t context = 0;
    std::uint32_t position = 0;
    /// The group of phases in which it was the last time; 0: not known.
    std::uint64_t group = 0;
    PassTimes usual;
    std::vector<TriedTimes> tried;
  };
  /// The regions of a period.
  struct All {
    std::uint64_t anchor = 0;
    std::uint32_t length = 0;
    /// In no order. Also of regions that are alike at all their positions: what a position is worth
    /// depends on what comes next to it.
    std::vector<Row> rows;
  };
  /// Empty if no region differs by its position.
  [[nodiscard]] All all() const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // region, context

  [[nodiscard]] bool differs(std::uint64_t region) const;
  Row& row_of(std::uint64_t region);
  void look_whether_lost(std::uint64_t ticks);

  AnchorSearch search_;
  PeriodPlace place_;
  std::uint32_t length_ = 0;
  std::map<std::uint64_t, std::uint32_t> passes_;  // of a period, by region
  std::map<Key, Row> rows_;
  std::vector<Key> since_delimiter_;  // positions whose group is not known yet
  std::uint64_t periods_ = 0;         // at the last pass
  std::uint32_t since_period_ = 0;    // passes
  double at_positions_ = 0;           // ticks
  double without_period_ = 0;         // likewise, since the last one
};

}  // namespace huddle::runtime
