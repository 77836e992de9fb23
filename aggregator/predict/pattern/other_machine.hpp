#pragma once

#include <string>

#include "profiles/formats/machine/machine.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle::predict {

/// The reason why a profile can't be of this machine, for people: it has fewer nodes, or its nodes
/// lack PUs that ranks ran on. Empty if nothing speaks against it. Throws what reading the topology
/// throws.
std::string sign_of_another_machine(const Profile& profile, const Machine& machine);

}  // namespace huddle::predict
