#pragma once

// The checks of huddle doctor that do what a submission does, with no more rights than a user has.

#include <filesystem>
#include <optional>
#include <vector>

#include "aggregator/operations/doctor/finding.hpp"
#include "profiles/formats/policy/policy.hpp"

namespace huddle::doctor {

/// Tries if the command that makes plans answers: it is asked about a job that there is not, as the
/// plugin asks it, as this user, or as nobody where this is root. Nothing is stored. As root, a
/// program that others could change is not run.
Finding check_planner(const Policy& policy);

/// As root: which of the files that submissions read, the policy itself (empty: there is none)
/// among them, users can't read, tried as nobody. Only what root itself can read is reported here.
std::vector<Finding> check_what_users_read(const Policy& policy,
                                           const std::filesystem::path& policy_file);

/// Finds folders in the directories of profiles that belong to somebody else than their user, so
/// that nothing can be written to them: in the part of this user, as root in those of all users of
/// a site's directory and in the homes of this machine's own users; of the first 10,000 folders.
/// Nothing if there are none.
std::optional<Finding> check_folders_of_users(const Policy& policy);

}  // namespace huddle::doctor
