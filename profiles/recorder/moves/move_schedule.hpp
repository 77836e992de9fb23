#pragma once

#include <algorithm>
#include <cstdint>

namespace huddle::recorder {

/// When the ranks of a node are moved, and for how long: in bursts, each followed by a pause of 63
/// times its length at least, the first one not before 64 times its length. So however slow the
/// ranks are meanwhile, at most 1/64 of the run's time is lost, and what a burst takes longer than
/// it should; and what was really lost stops it at kShare. Bursts begin at multiples of 64 times
/// their length since the start of the run, and lengths are powers of two: so the nodes of a run,
/// which tell each other nothing, move at the same times, and a program in which all wait for the
/// slowest is slowed down by one of them and not by each in turn.
///
/// All times are in ns since the start of the run, which is the same on all ranks of a node and, as
/// near as MPI_Init ends at one time, on all nodes. Pure functions.
struct MoveSchedule {
  /// The most that moving may cost, as a share of the run's time so far.
  static constexpr double kShare = 0.02;
  static constexpr std::uint64_t kShortestBurst = 50'000'000;
  static constexpr std::uint64_t kEvery = 64;
  /// Between two moments at which a burst may begin.
  static constexpr std::uint64_t kGrid = kEvery * kShortestBurst;
  /// Passes of each phase group in a burst: one across the move, one on cold caches, one to count.
  static constexpr std::uint64_t kPasses = 3;

  /// The length of bursts for phases that come again after `period`.
  static std::uint64_t burst_for(std::uint64_t period) {
    constexpr std::uint64_t kLongest = kShortestBurst << 24U;  // a quarter of a century's run
    std::uint64_t burst = kShortestBurst;
    while (burst < kLongest && burst / kPasses < period) burst *= 2;
    return burst;
  }

  /// The next moment behind `now` at which a burst may begin.
  static std::uint64_t next_after(std::uint64_t now) { return (now / kGrid + 1) * kGrid; }

  /// Whether a moment at which a burst of that length may begin was passed since `before`.
  static bool due(std::uint64_t before, std::uint64_t now, std::uint64_t burst) {
    const std::uint64_t period = kEvery * burst;
    return now / period > before / period;
  }

  /// Whether another `expected` may be lost, after `spent`.
  static bool affordable(std::uint64_t now, std::uint64_t spent, std::uint64_t expected) {
    return static_cast<double>(spent) + static_cast<double>(expected) <=
           kShare * static_cast<double>(now);
  }
};

}  // namespace huddle::recorder
