#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/waitstates/replay/call_path_tree.hpp"
#include "aggregator/waitstates/replay/flat_map.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle {

/// Bins of equal length; what is behind the last one counts as in it.
struct TimelineAxis {
  std::uint64_t begin = 0;
  std::uint64_t bin = 1;  ///< ticks
  std::size_t bins = 0;   ///< 0: no timeline
};

/// A stretch of a location's time that it was inside of MPI (or an OpenMP barrier), and until when
/// it waited there for which reason. All waiting begins at `enter`.
struct Waiting {
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
  std::uint32_t path = 0;
  std::array<std::uint64_t, kWaitPatterns> until{};  ///< 0, or no later than `enter`: no waiting

  void extend(WaitPattern pattern, std::uint64_t time) {
    std::uint64_t& known = until[static_cast<std::size_t>(pattern)];
    if (time > known) known = time;
  }
};

/// What the report says of one location.
class LocationSums {
 public:
  /// `cost` lives longer than this.
  explicit LocationSums(const WaitCost& cost) : cost_(cost) {}

  /// Before anything is booked; without it there is no timeline.
  void set_axis(const TimelineAxis& axis) {
    axis_ = axis;
    timeline_.resize(axis.bins);
  }

  CallPathTree paths;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t events = 0;

  /// Books what is to be said of `waiting`, clipped to its leave. Each tick is booked once: where
  /// several reasons overlap, it is the first pattern's, in the order of WaitPattern.
  void book(const Waiting& waiting);

  void book_mpi(std::uint64_t from, std::uint64_t to);
  void book_openmp(std::uint64_t from, std::uint64_t to);

  [[nodiscard]] const std::vector<PathWaits>& waits() const { return waits_; }
  [[nodiscard]] const std::vector<TimelineBin>& timeline() const { return timeline_; }

 private:
  void book_piece(WaitPattern pattern, std::uint32_t path, std::uint64_t from, std::uint64_t to);
  template <class Amount>
  void spread(std::uint64_t from, std::uint64_t to, Amount amount);

  const WaitCost& cost_;
  TimelineAxis axis_;
  FlatMap<std::uint32_t> by_path_;  // path, pattern: index in waits_, and 1
  std::vector<PathWaits> waits_;
  std::vector<TimelineBin> timeline_;
};

}  // namespace huddle
