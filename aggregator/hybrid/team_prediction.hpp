#pragma once

// Time and energy of a program with teams, whatever its regions do.

#include <vector>

#include "aggregator/hybrid/team_program.hpp"

namespace huddle::hybrid {

/// Time and energy of a program.
struct TeamPrediction {
  /// Time of the run: the sum of its groups.
  Seconds time;
  /// The same if each option takes as long as its error allows.
  Seconds time_at_most;
  /// Energy of all nodes of the run, idle power included.
  Joules energy;
  /// Changes of cores or clocks in the run, all ranks together.
  double switches = 0;
  /// Times by group, of the run: as long as the rank that arrives last.
  std::vector<Seconds> groups;
  std::vector<Seconds> groups_at_most;
  /// Times by rank (as in TeamProgram::ranks) and group, of the run: the rank's own time in it,
  /// with serial time and switching, without sending and waiting.
  std::vector<std::vector<Seconds>> ranks;
};

/// Regions of fewer cycles keep the configuration of the region before them: Li et al.,
/// section V.
inline constexpr double kLeastCycles = 1e6;

/// Predicts how `program` runs with this choice. In each group each rank does its regions one after
/// the other and then waits, its first core busy, for the last of all. A group's time for a rank
/// has, beside its regions, its time to send; or, where it waited less than the last rank's lead
/// explains, what is missing: it began later, so that it can't be slowed by as much (the bound of
/// the measured wait in section VI.A). Energy is summed over the intervals in which the same parts
/// of a node are busy, so that a package that two ranks use at once counts once. A region whose
/// reference has fewer cycles than kLeastCycles a pass does what the region before it does, and
/// takes as long as its menu says for that, or as its reference if its menu doesn't say. The choice
/// is one of the program.
TeamPrediction predict_team_program(const TeamProgram& program, const TeamChoice& choice);

}  // namespace huddle::hybrid
