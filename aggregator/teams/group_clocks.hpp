#pragma once

// Clocks of the groups of phases of a hybrid program. Li et al., "Hybrid MPI/OpenMP
// Power-Aware Computing", section VI: slack becomes lower frequencies. Published is a clock for
// each region; here it is one for all that a rank does in a group, serial code as well, so that
// nothing runs at a clock that was chosen for something else.

#include <string>
#include <vector>

#include "aggregator/hybrid/team_strategy.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::teams {

/// Clocks for a program whose teams run as a plan says.
struct GroupClocks {
  /// Clocks for all that a rank does in a group, by rank and group, ascending, where it is to be
  /// slower. `pass_most`: as if all of it took longer by as much as the clock is lower, which is
  /// the most that computing does, and errors of packed regions included.
  std::vector<hybrid::TeamRow> rows;
  /// Time of the run beside the plan's, at most: 0 or more.
  Seconds longer_at_most;
  /// Energy of the run, by the least number of cores that may have been busy.
  Joules saved;
  /// One sentence: what is saved, or why all clocks stay.
  std::string reason;
};

/// Chooses clocks for groups by `options`: the slack of ranks that wait is spent, and no group
/// becomes later than the bound allows, what `plan` spends of it at most included. A pass that is
/// shorter than a million cycles keeps the clock before it. Nothing where the machine's clocks
/// aren't known, or where a rank shares a clock with another rank (clock_of_package). `plan` is of
/// the program. Throws what choose_teams() throws.
GroupClocks choose_group_clocks(const hybrid::TeamProgram& program, const hybrid::TeamPlan& plan,
                                const hybrid::TeamStrategyOptions& options);

}  // namespace huddle::teams
