#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/hybrid/team_strategy.hpp"
#include "aggregator/teams/group_clocks.hpp"
#include "profiles/throttling/region_cores.hpp"

namespace huddle::teams {

/// Choices for a program's teams.
struct TeamStudy {
  hybrid::TeamPlan plan;
  /// Rows of ranks, groups and regions in the program's order; without code outside of regions.
  std::vector<hybrid::TeamRow> rows;
  /// Numbers of options of all regions that were measured, beside those that ran, and that are
  /// predicted only.
  std::size_t measured_options = 0;
  std::size_t predicted_options = 0;
  /// The number of those that were measured which are of teams of fewer threads.
  std::size_t smaller_options = 0;
  /// Not in the plan's time and energy yet.
  GroupClocks clocks;
  /// Orders for ranks: empty teams if nothing changes.
  throttling::ChosenByRank chosen;
};

/// Orders for a rank, by the rows of its regions: one entry for all groups and positions of a
/// region where they have the same, else one for each that differs from the entry for the whole
/// region.
std::vector<throttling::RegionCores> choices_of_rank(
    const std::vector<const hybrid::TeamRow*>& rows);

/// Chooses by a strategy, and then clocks for groups of phases. With `measured_only`, no cores are
/// chosen for which the time was not measured.
/// Throws what choose_teams() throws.
TeamStudy study_teams(const hybrid::TeamProgram& program,
                      const hybrid::TeamStrategyOptions& options, bool measured_only);

/// A user's question: a region on so many cores, at a clock or (0) as it is.
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
TeamStudy study_what_if(const hybrid::TeamProgram& program, const std::vector<TeamWhatIf>& what_if,
                        double slowdown_bound);

}  // namespace huddle::teams
