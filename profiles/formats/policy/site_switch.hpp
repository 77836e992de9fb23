#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profiles/formats/policy/policy.hpp"

namespace huddle {

/// The files each of which switches Huddle off on a machine where it exists:
/// /etc/slurm/huddle.stop, wherever the policy is, and the one beside the policy that the site
/// uses.
std::vector<std::filesystem::path> stop_files(const std::filesystem::path& policy_file);

/// The first of them that exists; empty if none does, and Huddle is not stopped.
std::filesystem::path present_stop_file(const std::filesystem::path& policy_file);

/// Why Huddle does nothing at present, for people: it is stopped, or the policy, which is in
/// `policy_file`, says so. Empty where Huddle is on.
std::string why_switched_off(const Policy& policy, const std::filesystem::path& policy_file);

}  // namespace huddle
