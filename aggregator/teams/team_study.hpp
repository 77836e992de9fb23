#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aggregator/teams/group_clocks.hpp"
#include "aggregator/teams/profile_teams.hpp"
#include "profiles/throttling/region_cores.hpp"
#include "profiles/throttling/team_strategy.hpp"

namespace huddle {

/// A region of one rank in one group, with what was chosen for it.
struct TeamRow {
  std::uint32_t rank = 0;
  std::uint64_t group = 0;
  std::uint64_t region = 0;
  /// Its place, as in the profile.
  std::string name;
  double passes = 0;
  TeamConfiguration before;
  TeamConfiguration after;
  /// Of one pass. `most`: 95 % of such means are no longer.
  Seconds pass_before;
  Seconds pass_after;
  Seconds pass_most;
  /// Of the whole run, as if the rank were alone on its package.
  Joules energy_before;
  Joules energy_after;
  /// Whether the time of what was chosen was measured; else it is predicted.
  bool measured = true;
  std::string reason;
  /// Where in its rank's period it is, and from where on that counts.
  RegionPosition where = {};
  std::uint64_t anchor = 0;
};

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
TeamStudy study_teams(const ProfileTeams& teams, const TeamStrategyOptions& options,
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
TeamStudy study_what_if(const ProfileTeams& teams, const std::vector<TeamWhatIf>& what_if,
                        double slowdown_bound);

}  // namespace huddle
