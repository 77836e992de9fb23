#pragma once

#include "spank_plugin/plugin/settings.hpp"

namespace huddle {

/// To be called once, when slurmd starts. If the policy can't be read, is wrong, or is not to be
/// trusted by root, says so in slurmd's log and returns false: then Huddle is off.
bool policy_is_sound(const Settings& settings);

}  // namespace huddle
