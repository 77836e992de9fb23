#pragma once

#include <optional>
#include <string>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::predict {

/// The energy that a profile's meters counted over all its nodes: that of the meters of whole
/// nodes, else of packages and memory; or what huddle-energyd measured for the job. Absent if a
/// node has none of these, or only a part that was attributed to the job.
std::optional<Joules> energy_by_meters(const Profile& profile);
/// The same of a file; absent if it can't be read.
std::optional<Joules> metered_energy(const std::string& profile_file);

}  // namespace huddle::predict
