#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "aggregator/waitstates/energy/measured_power.hpp"
#include "aggregator/waitstates/energy/power_states.hpp"
#include "aggregator/waitstates/replay/detail/containers.hpp"
#include "aggregator/waitstates/replay/wait_report.hpp"

namespace huddle::waitstates {

/// The call paths of one location, numbered in the order of their first visit: parents first.
class CallPathTree {
 public:
  struct Path {
    std::uint32_t parent = CallPath::kRoot;
    std::uint32_t region = 0;
    std::uint64_t visits = 0;
    std::uint64_t ticks = 0;  ///< without the paths below
  };

  /// The path of `region` called from `parent` (a number, or CallPath::kRoot); made if it is new.
  std::uint32_t below(std::uint32_t parent, std::uint32_t region) {
    const LastChild& last = last_of(parent);
    if (last.region == region && last.path != CallPath::kRoot) return last.path;
    const std::uint32_t path = look_up(parent, region);
    last_of(parent) = {region, path};
    return path;
  }

  Path& operator[](std::uint32_t path) { return paths_[path]; }
  [[nodiscard]] const std::vector<Path>& paths() const { return paths_; }

 private:
  // The same function is mostly called again: saves the look-up.
  struct LastChild {
    std::uint32_t region = 0;
    std::uint32_t path = CallPath::kRoot;
  };

  LastChild& last_of(std::uint32_t parent) {
    return parent == CallPath::kRoot ? last_outermost_ : last_[parent];
  }

  std::uint32_t look_up(std::uint32_t parent, std::uint32_t region) {
    std::uint32_t& known = children_[{parent, region}];  // 0: new, else the path and 1
    if (known == 0) {
      paths_.push_back({parent, region});
      last_.emplace_back();
      known = static_cast<std::uint32_t>(paths_.size());
    }
    return known - 1;
  }

  std::vector<Path> paths_;
  std::vector<LastChild> last_;
  LastChild last_outermost_;
  FlatMap<std::uint32_t> children_;
};

/// Bins of equal length; what is behind the last one counts as in it.
struct TimelineAxis {
  std::uint64_t begin = 0;
  std::uint64_t bin = 1;  ///< ticks
  std::size_t bins = 0;   ///< 0: no timeline
};

/// An interval that a location spent in MPI (or in an OpenMP barrier), and until when it waited
/// there, by pattern. All waiting begins at `enter`.
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

/// The sums of one location: call paths, wait states and timeline.
class LocationSums {
 public:
  /// Both live longer than this. `power` is what the location's node drew; null: as `cost` assumes.
  LocationSums(const WaitCost& cost, const NodePower* power) : cost_(cost), power_(power) {}

  /// Must precede all sums; without it there is no timeline.
  void set_axis(const TimelineAxis& axis) {
    axis_ = axis;
    timeline_.resize(axis.bins);
  }

  CallPathTree paths;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t events = 0;

  /// Adds the wait states of `waiting`, clipped to its leave. Each tick counts once: where several
  /// reasons overlap, for the first pattern in the order of WaitPattern.
  void add(const Waiting& waiting);

  void add_mpi(std::uint64_t from, std::uint64_t to);
  void add_openmp(std::uint64_t from, std::uint64_t to);

  [[nodiscard]] const std::vector<PathWaits>& waits() const { return waits_; }
  [[nodiscard]] const std::vector<TimelineBin>& timeline() const { return timeline_; }

  // Nothing can be added any more afterwards.
  std::vector<PathWaits> take_waits() { return std::move(waits_); }
  std::vector<TimelineBin> take_timeline() { return std::move(timeline_); }

 private:
  void add_piece(WaitPattern pattern, std::uint32_t path, std::uint64_t from, std::uint64_t to);
  void add_energy(WaitEnergy& sums, std::uint64_t from, std::uint64_t to) const;
  template <class Amount>
  void spread(std::uint64_t from, std::uint64_t to, Amount amount);

  const WaitCost& cost_;
  const NodePower* power_;
  TimelineAxis axis_;
  FlatMap<std::uint32_t> by_path_;  // path, pattern: index in waits_, and 1
  std::vector<PathWaits> waits_;
  std::vector<TimelineBin> timeline_;
};

}  // namespace huddle::waitstates
