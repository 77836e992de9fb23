#pragma once

#include <optional>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// What decides how much a rank may be slowed in a phase group.
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

}  // namespace huddle
