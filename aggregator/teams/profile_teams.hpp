#pragma once

// A hybrid program as a profile shows it, for strategies that choose the cores of its OpenMP
// regions.

#include <cstdint>
#include <set>
#include <string>

#include "aggregator/hybrid/team_program.hpp"
#include "aggregator/teams/region_menus.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::teams {

/// Predicts by ConfigurationTimes without training: with what was measured in the run alone. Throws
/// Error if the machine's topology can't be read.
TimesPredictor untrained_predictor(const Machine& machine);

/// The groups of phases of a profile, with what each rank's regions take on the cores that they had
/// and on fewer: as measured (packed_regions; of all ranks, where the rank itself has none), else
/// by `predict`, which may be empty: then there is nothing else to choose. Of regions in
/// `may_shrink` also with fewer threads, where that was measured (smaller_teams) and is quicker
/// than the whole team on as many cores, or nobody has measured that. Ranks must be bound, each to
/// cores of its own. Throws Error that says what to do if the profile is not complete, has no
/// regions or phases, if its ranks share cores or ran on PUs that the machine doesn't have, or if
/// the machine has no power figures.
hybrid::TeamProgram teams_of_profile(const Profile& profile, const Machine& machine,
                                     const TimesPredictor& predict = {},
                                     const std::set<std::uint64_t>& may_shrink = {});

/// The power figures of a machine's nodes, as strategies want them; of a machine that has power
/// states of cores alone, those. Throws Error if there are neither.
hybrid::TeamNode team_node_of(const Machine& machine);
/// Where those figures are from, for people.
std::string power_origin_of(const Machine& machine);
/// False if all figures are of one clock that nobody names.
bool knows_clocks(const Machine& machine);

}  // namespace huddle::teams
