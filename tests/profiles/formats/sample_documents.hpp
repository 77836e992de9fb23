#pragma once

#include <string>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/formats/profile/profile_encoding.hpp"

namespace huddle {

/// A complete profile of `ranks` ranks in which every field has a value of its own; each rank sends
/// to the next one.
Profile sample_profile(std::uint32_t ranks = 2);

/// Three ranks on two nodes of four PUs.
Plan sample_plan();

/// Two nodes of 2:2:2 with a measured network.
Machine sample_machine();

/// All pieces of a profile, put together.
std::string text_of(const Profile& profile, Encoding encoding = Encoding::kJson);

}  // namespace huddle
