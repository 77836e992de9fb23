#pragma once

// On how many cores the teams of a program's OpenMP regions are to run, and the text by which the
// ranks of a job are told.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/rank_set.hpp"

namespace huddle {

/// Where the team of one region runs. A team keeps its size.
struct TeamChoice {
  /// OpenMpRegion::id of the profile that it was chosen by.
  std::uint64_t region = 0;
  /// PhaseGroup::id; 0: wherever the region is, if there is no choice for the group.
  std::uint64_t group = 0;
  /// 1 or more. Nothing is done where it does not divide the team's size.
  std::uint32_t cores = 1;
  /// Over how many packages these cores are spread, 1 or more and at most `cores`.
  std::uint32_t packages = 1;

  friend bool operator==(const TeamChoice&, const TeamChoice&) = default;
};

/// The same choices for some ranks.
struct TeamsOfRanks {
  RankSet ranks;
  std::vector<TeamChoice> choices;

  friend bool operator==(const TeamsOfRanks&, const TeamsOfRanks&) = default;
};

/// How long such a text may be: Linux refuses to start a program with a longer variable.
inline constexpr std::size_t kMostTeamsText = 128 * 1024 - 64;

/// As one line: "0-3 9f3b12aa=4 77ab@12ff=2/2;4-7 9f3b12aa=2". Ranks of each part, then for each
/// region its id in hexadecimal, "@" and its group's if it is for one, "=", its cores, and "/" and
/// its packages if these are not 1.
std::string text_of(const std::vector<TeamsOfRanks>& teams);

/// Reads that line. Throws Error naming what was found where, if it is none, if a number is out of
/// range (cores at most 65,536), or if a rank is not below `ranks`.
std::vector<TeamsOfRanks> parse_teams(std::string_view text, std::uint32_t ranks);

/// What is chosen for one rank: of parts that name it, the first. Empty if none does.
std::vector<TeamChoice> choices_for(const std::vector<TeamsOfRanks>& teams, Rank rank);

}  // namespace huddle
