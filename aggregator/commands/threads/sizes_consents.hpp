#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "profiles/formats/plan/plan_parts.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/store/team_sizes.hpp"

namespace huddle::cli {

/// A wish about the consents that teams may have fewer threads: one of these.
struct ConsentOptions {
  /// Programs, by their paths.
  std::string consent;
  std::string withdraw;
  bool list = false;
  /// The root of the store that they are in; empty: the site's.
  std::string store;

  [[nodiscard]] bool any() const { return list || !consent.empty() || !withdraw.empty(); }
};

/// The consents of whoever calls this, for the teams of a profile's programs.
struct ProfileSizes {
  TeamPrograms programs;
  /// In the order of programs.builds.
  std::vector<store::SizesState> states;
  /// Ids of regions whose teams may be smaller.
  std::set<std::uint64_t> may_shrink;
  /// True if the run had any smaller team.
  bool measured = false;
};

/// Looks in the store of `options`; nothing is allowed where that can't be read.
ProfileSizes sizes_of_profile(const Profile& profile, const ConsentOptions& options);

/// A sentence for people about them, of which `known` configurations are chosen from; empty if
/// nothing was measured.
std::string sizes_sentence(const ProfileSizes& sizes, std::size_t known);

/// Gives, takes back or lists consents. Returns what there is to say of it: for people, or JSON.
/// Throws Error, UsageError.
std::string change_consents(const ConsentOptions& options, bool json);

}  // namespace huddle::cli
