#pragma once

// On how many cores the teams of a program's OpenMP regions are to run, and at which clocks its
// groups of phases, and the text that says so to the ranks of a job.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/rank_set.hpp"

namespace huddle::throttling {

/// Where the team of one region runs.
struct RegionCores {
  /// OpenMpRegion::id of the profile that it was chosen by.
  std::uint64_t region = 0;
  /// PhaseGroup::id; 0: wherever the region is, if there is no choice for the group.
  std::uint64_t group = 0;
  /// 1 or more. Nothing is done where it does not divide the team's size.
  std::uint32_t cores = 1;
  /// Over how many packages these cores are spread, 1 or more and at most `cores`.
  std::uint32_t packages = 1;
  /// The number of threads that its team is to have, a multiple of `cores`, where the user allows
  /// that to be changed (profiles/store/team_sizes.hpp); elsewhere, and if it is 0, the team keeps
  /// its size.
  std::uint32_t threads = 0;
  /// Where in a period of its rank's regions this holds, and nowhere else, whatever the group is:
  /// stands for the regions since TeamsOfRanks::anchor, in their order. 0: it is no choice by
  /// position. Of choices for one region, one by position comes first, then that for a group.
  std::uint64_t context = 0;

  friend bool operator==(const RegionCores&, const RegionCores&) = default;
};

/// At which clock a group of phases runs, all of it: what is outside of regions as well, and the
/// waiting at its end.
struct GroupClock {
  /// PhaseGroup::id.
  std::uint64_t group = 0;
  /// At most this; above 0.
  std::uint32_t khz = 0;

  friend bool operator==(const GroupClock&, const GroupClock&) = default;
};

/// The same choices for some ranks.
struct TeamsOfRanks {
  RankSet ranks;
  std::vector<RegionCores> choices;
  std::vector<GroupClock> clocks = {};
  /// From where on positions in a period count: the id of a group of phases that ends, or of a
  /// region or a pair of them. 0: there are no choices by position.
  std::uint64_t anchor = 0;

  friend bool operator==(const TeamsOfRanks&, const TeamsOfRanks&) = default;
};

/// The choices for the ranks of a job.
struct ChosenByRank {
  /// The share by which a group of phases may become longer before it goes back; 0.05 is 5 %. At
  /// least 0.
  double bound = 0.05;
  /// Ranks that are in none have nothing chosen.
  std::vector<TeamsOfRanks> teams;

  friend bool operator==(const ChosenByRank&, const ChosenByRank&) = default;
};

/// The longest such text: Linux refuses to start a program with a longer variable.
inline constexpr std::size_t kMostTeamsText = 128 * 1024 - 64;

/// As one line: "bound 0.05;0-3,8 9f3b12aa=4 77ab@12ff=2/2;4-7 9f3b12aa=2 @12ff=1800000kHz". The
/// bound, then the ranks of each part, and for each region its id in hexadecimal, "@" and its
/// group's if it is for one, or "#" and its context if it is for one position, "=", its cores, and
/// "/" and its packages if these are not 1, "*" and how many threads its team has if not as many as
/// its program gives it. Behind regions, for each clock, "@", its group, "=", and the clock in kHz.
/// Before all of these "#" and the anchor, if there is one.
std::string text_of(const ChosenByRank& chosen);

/// Reads that line. Throws Error naming what was found where, if it is none, if a number is out of
/// range (cores at most 65,536, the bound at most 1), or if a rank is not below `ranks`.
ChosenByRank parse_teams(std::string_view text, std::uint32_t ranks);

/// True if any team is to have another number of threads than its program gives it.
bool has_sizes(const ChosenByRank& chosen);
/// The same without what is chosen for such teams: they stay as they are.
ChosenByRank without_sizes(ChosenByRank chosen);

/// The choices for one rank: of parts that name it, the first. Empty if none does.
std::vector<RegionCores> choices_for(const ChosenByRank& chosen, Rank rank);
/// From where on its positions count; 0: it has none.
std::uint64_t anchor_for(const ChosenByRank& chosen, Rank rank);
/// The same of clocks.
std::vector<GroupClock> clocks_for(const ChosenByRank& chosen, Rank rank);

}  // namespace huddle::throttling
