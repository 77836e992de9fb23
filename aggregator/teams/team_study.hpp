#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_strategy.hpp"
#include "aggregator/teams/group_clocks.hpp"
#include "aggregator/teams/team_row.hpp"
#include "profiles/throttling/region_cores.hpp"

namespace huddle {

/// What would be chosen for a program's teams.
struct TeamStudy {
  TeamPlan plan;
  /// Of ranks, groups and regions in the program's order; without code outside of regions.
  std::vector<TeamRow> rows;
  /// How many options of all regions were measured, beside those that ran, and how many are
  /// predicted only.
  std::size_t measured_options = 0;
  std::size_t predicted_options = 0;
  /// How many of those that were measured are of teams of fewer threads.
  std::size_t smaller_options = 0;
  /// What the plan's time and energy do not have yet.
  GroupClocks clocks;
  /// What ranks are to do: empty teams if nothing changes.
  ChosenByRank chosen;
};

/// Chooses by a strategy, and then clocks for groups of phases. With `measured_only`, no cores are
/// chosen for which the time was not measured.
/// Throws what choose_teams() throws.
TeamStudy study_teams(const TeamProgram& program, const TeamStrategyOptions& options,
                      bool measured_only);

/// What a user asks what would become of: a region on so many cores, at a clock or (0) as it is.
struct TeamWhatIf {
  /// Part of the region's name, or its id in hexadecimal.
  std::string region;
  std::uint32_t cores = 1;
  Hertz clock;
};

/// Reads "REGION=CORES[@GHZ]". Throws UsageError naming `option`.
TeamWhatIf parse_team_what_if(const std::string& text, const std::string& option);

/// The same regions as study_teams() has, with these in place of a strategy's choice. At a lower
/// clock than the nominal one, a region takes longer by as much as the clock is lower, which is the
/// most that computing does, and counts as predicted. Throws Error
/// that names what there is if no region has that name, or no such configuration has a time.
/// No clocks of groups are chosen.
TeamStudy study_what_if(const TeamProgram& program, const std::vector<TeamWhatIf>& what_if,
                        double slowdown_bound);

}  // namespace huddle
