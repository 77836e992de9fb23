#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"

namespace huddle::cli {

/// The file that the plugin reads its policy from on this machine: the one that plugstack.conf
/// names beside Slurm's configuration, else /etc/slurm/huddle.toml. It need not exist.
std::filesystem::path site_policy_file();

/// The policy in it, as the plugin takes it: the defaults where plugstack.conf names none and
/// /etc/slurm/huddle.toml is not there. Throws SystemError, or FormatError if it is wrong.
Policy load_site_policy();

/// The policy in it, for what works without. Where there is none, or it can't be read,
/// the defaults; for the latter `notes` gets a sentence.
Policy site_policy(std::vector<std::string>& notes);

}  // namespace huddle::cli
