#pragma once

// Builds of programs that the regions of a profile are in.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::teams {

/// The builds of programs and libraries that the profile's regions are in, ascending.
std::vector<std::string> builds_with_regions(const Profile& profile);
/// The ids of the regions that are in one of these.
std::set<std::uint64_t> regions_of_builds(const Profile& profile,
                                          const std::vector<std::string>& builds);

}  // namespace huddle::teams
