#pragma once

// The choice of one rank for its teams by what it has measured of itself, while it runs.

#include <string>

#include "profiles/chooser/protocol/chooser_protocol.hpp"
#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::chooser {

/// The line for HUDDLE_TEAMS (docs/formats/teams.md) in which the profile's one rank is rank 0, or
/// kNothingChosen and why (TeamOrder::is_one_rank). Without the end of the line. Throws Error as
/// choose_for_ranks() does, or if the profile has not one rank.
std::string choice_of_rank(const Profile& profile, const Machine& machine,
                           const ChoiceOrder& order);

}  // namespace huddle::chooser
