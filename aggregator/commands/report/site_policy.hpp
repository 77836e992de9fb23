#pragma once

#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"

namespace huddle {

/// The policy that the plugin reads on this machine: the one that plugstack.conf names beside
/// Slurm's configuration, else /etc/slurm/huddle.toml. Where there is none, or it can't be read,
/// the defaults; for the latter `notes` gets a sentence.
Policy site_policy(std::vector<std::string>& notes);

}  // namespace huddle
