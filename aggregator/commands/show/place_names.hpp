#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::cli {

/// The functions at the places that descriptions of phases name, as the symbol tables of the
/// program's files have them. A file that is not there, that was built anew since the run, or that
/// root would open for another user, names nothing.
class PlaceNames {
 public:
  /// Reads the symbols of all places in the profile's phase groups, and of its OpenMP regions.
  /// Throws std::bad_alloc.
  explicit PlaceNames(const Profile& profile);

  /// "allreduce at norm (halo+0x2f4a) < main", of "allreduce at halo+0x2f4a < halo+0x1b02"; a place
  /// whose function is not known stays as it is.
  [[nodiscard]] std::string named(std::string_view description) const;
  /// "of_four, region 0 (halo+0x1406)" of an OpenMP region at "region at halo+0x1406", where the
  /// function begins that GCC made of it; one whose name is not known stays as it is.
  [[nodiscard]] std::string named_region(std::string_view place) const;

 private:
  using Names = std::map<std::string, std::string, std::less<>>;
  Names functions_;  // by place, "halo+0x2f4a"
  Names regions_;    // by where a function begins
};

}  // namespace huddle::cli
