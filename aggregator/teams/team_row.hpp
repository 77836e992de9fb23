#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "aggregator/hybrid/team_strategy.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// A region of one rank in one group, with what was chosen for it.
struct TeamRow {
  std::uint32_t rank = 0;
  std::uint64_t group = 0;
  /// 0: all that the rank does in the group.
  std::uint64_t region = 0;
  /// Its place, as in the profile; of a group, from which delimiter to which it is.
  std::string name;
  double passes = 0;
  TeamConfiguration before;
  TeamConfiguration after;
  /// Time of one pass. `most`: 95 % of such means are no longer.
  Seconds pass_before;
  Seconds pass_after;
  Seconds pass_most;
  /// Energy of the whole run, as if the rank were alone on its package.
  Joules energy_before;
  Joules energy_after;
  /// True where the time of what was chosen was measured; else it is predicted.
  bool measured = true;
  std::string reason;
  /// Where in its rank's period it is.
  RegionPosition where = {};
};

/// That of one region in a plan of the program.
TeamRow row_of(const TeamProgram& program, const TeamPlan& plan, std::size_t rank,
               std::size_t group, std::size_t region);

}  // namespace huddle
