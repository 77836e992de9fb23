#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// The functions at the places that descriptions of phases name, as the symbol tables of the
/// program's files have them. A file that is not there, that was built anew since the run, or that
/// root would open for another user, names nothing.
class PlaceNames {
 public:
  /// Reads the symbols of all places in the profile's phase groups. Throws std::bad_alloc.
  explicit PlaceNames(const Profile& profile);

  /// "allreduce at norm (halo+0x2f4a) < main", of "allreduce at halo+0x2f4a < halo+0x1b02"; a place
  /// whose function is not known stays as it is.
  [[nodiscard]] std::string named(std::string_view description) const;

 private:
  std::map<std::string, std::string, std::less<>> functions_;  // by place, "halo+0x2f4a"
};

}  // namespace huddle
