#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::forecast {

/// Profiles that all are of one problem size.
struct ProfilesForSize {
  std::vector<Profile> profiles;
  /// For people: profiles that were not used, one sentence each.
  std::vector<std::string> notes;
};

/// `files`: the names of `profiles`, in that order. Without `size` all of them, which must not be
/// known to be of different sizes (UsageError). With it, those of that size; Error, with the sizes
/// there are, if there is none.
ProfilesForSize profiles_for_size(std::vector<Profile> profiles,
                                  const std::vector<std::string>& files,
                                  std::optional<double> size);

}  // namespace huddle::forecast
