#pragma once

// A hybrid program as a profile shows it, for strategies that choose the cores of its OpenMP
// regions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "aggregator/teams/position_parts.hpp"
#include "aggregator/teams/region_menus.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/throttling/team_program.hpp"

namespace huddle {

/// What a profile and a machine say of teams.
struct ProfileTeams {
  TeamProgram program;
  /// PhaseGroup::id of each of the program's groups.
  std::vector<std::uint64_t> groups;
  /// OpenMpRegion::id, by rank (as in program.ranks), group and region; 0 for what a rank does in a
  /// group outside of regions.
  std::vector<std::vector<std::vector<std::uint64_t>>> regions;
  /// Whether an option's time was measured, by rank, group, region and option.
  std::vector<std::vector<std::vector<std::vector<bool>>>> measured;
  /// What people should know of it: what could not be taken into account.
  std::vector<std::string> notes;
  /// Where regions are in their rank's period, by rank, group and region: of those that were taken
  /// apart by it, whose parts are regions of the program in their order.
  std::map<std::array<std::size_t, 3>, RegionPosition> positions = {};
  /// From where on these count, by rank: RegionPositions::anchor.
  std::vector<std::uint64_t> anchors = {};
};

/// By ConfigurationTimes without training: with what was measured in the run alone. Throws Error if
/// the machine's topology can't be read.
StretchPredictor untrained_predictor(const Machine& machine);

/// The groups of phases of a profile, with what each rank's regions take on the cores that they had
/// and on fewer: as measured (packed_regions; of all ranks, where the rank itself has none), else
/// by `predict`, which may be empty: then there is nothing else to choose. Of regions in
/// `may_shrink` also with fewer threads, where that was measured (smaller_teams) and is quicker
/// than the whole team on as many cores, or nobody has measured that. Ranks must be bound, each to
/// cores of its own. Throws Error that says what to do if the profile is not complete, has no
/// regions or phases, if its ranks share cores or ran on PUs that the machine doesn't have, or if
/// the machine has no power figures.
ProfileTeams teams_of_profile(const Profile& profile, const Machine& machine,
                              const StretchPredictor& predict = {},
                              const std::set<std::uint64_t>& may_shrink = {});

/// The power figures of a machine's nodes, as strategies want them. Throws Error if there are none.
TeamNode team_node_of(const Machine& machine);

}  // namespace huddle
