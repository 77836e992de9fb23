#pragma once

// What one rank chooses for its teams by what it has measured of itself, while it runs.

#include <string>

#include "aggregator/teams/profile_teams.hpp"
#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Adds to a program of one rank what else may be on its packages: wherever a part of a package or
/// die is not the rank's, something is busy there all the time, so that the rank can't empty it.
void keep_shared_parts_busy(ProfileTeams& teams);

/// The line for HUDDLE_TEAMS (docs/formats/teams.md) in which the profile's one rank is rank 0, or
/// kNothingChosen and why. Cores only, and only what was measured. The rank counts as the critical
/// one, since nothing is known of others: what it waits for them is no slack. Without the end of
/// the line. Throws Error as teams_of_profile() does, or if the profile has not one rank.
std::string choice_of_rank(const Profile& profile, const Machine& machine,
                           const ChoiceOrder& order);

}  // namespace huddle
