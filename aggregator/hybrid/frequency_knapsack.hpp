#pragma once

// Spends the slack of ranks that are not critical on lower clocks.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::hybrid {

/// Figures of a rank in a phase group that limit how much it may be slowed.
struct TeamSlack {
  Seconds critical;                  ///< t_c: what the critical rank takes
  Seconds own;                       ///< t_i
  Seconds send;                      ///< t_comm_send
  Seconds clock_change;              ///< t_dvfs
  std::optional<Seconds> wait = {};  ///< measured in the operation that ends the group
  double tolerance = 0.1;            ///< epsilon in (9): published are 0.1 to 0.2
};

/// Li et al. (4) and (9): (t_c - t_i - t_comm_send - t_dvfs) / (1 + epsilon), at most the measured
/// wait less t_dvfs, and never below 0.
Seconds slack_of(const TeamSlack& known);

/// One clock that a phase could have.
struct PhaseClock {
  /// The time by which the phase takes longer than at its first choice, in seconds; 0 or more.
  double longer = 0;
  /// Its cost there: joules, or seconds x hertz as published.
  double cost = 0;
};

/// The most cells of choose_phase_clocks(): memory is 4 bytes for each phase and step.
inline constexpr std::size_t kMostSlackCells = 64'000'000;

/// Li et al., "Hybrid MPI/OpenMP Power-Aware Computing", (10)-(12): for each phase exactly one of
/// its clocks, so that the sum of `longer` stays within `slack` seconds and the sum of `cost` is
/// least. The base case is 0 for no phase, not the printed minus infinity, which no plan would ever
/// reach. Slack is counted in `steps` equal steps and each `longer` is rounded up, so the bound
/// always holds, in exact sums; what is lost is at most one step for each phase. Returns the index
/// of each phase's clock. Each phase has one, the first of which has `longer` 0; all figures are
/// finite; there is a step at least. Throws Error if there are too many phases. Safe in any thread.
std::vector<std::size_t> choose_phase_clocks(std::span<const std::vector<PhaseClock>> phases,
                                             double slack, std::size_t steps);

}  // namespace huddle::hybrid
