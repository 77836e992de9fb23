#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Balancing of a rank, whose clock followed its load while the program ran (EnergyLB). Clocks are
/// those that the rank asked for; others may share its clock, and the highest that is asked for
/// holds.
struct RankBalancing {
  /// State of the balancer at the end: "following", "measuring", "looking", "cost", "broken",
  /// "self-balanced" or "stopped", as rank_balancer.hpp names them; later writers may have others.
  std::string state;
  /// Equation 2, as all ranks agreed on it last: the longest load over the shortest. Absent if a
  /// rank had none.
  std::optional<double> imbalance;
  /// True if that was more than clocks can level out.
  bool beyond_clocks = false;
  /// Points at which the ranks agreed on loads; and those of them at which the clocks had cost more
  /// time than they may.
  std::uint32_t points = 0;
  std::uint32_t overruns = 0;
  /// Time that lower clocks cost, and the time that it was lost from, as all ranks agreed.
  Seconds lost;
  Seconds elapsed;
  /// Number of the rank's periods, and of the times that it asked for another clock.
  std::uint64_t periods = 0;
  std::uint64_t clock_changes = 0;
  /// The top clock; the lowest that was asked for, and the mean over the periods.
  Hertz top;
  Hertz lowest;
  Hertz mean;

  friend bool operator==(const RankBalancing&, const RankBalancing&) = default;
};

}  // namespace huddle
