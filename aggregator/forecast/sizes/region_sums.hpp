#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// What the ranks of a run did in one phase group, wherever they were moved meanwhile.
struct RegionSum {
  /// Mean over all ranks.
  Seconds time;
  /// Passes, all ranks together.
  double calls = 0;
  /// By event, as the sum over the ranks; NaN for one that a rank did not count.
  std::vector<double> counts;
};

/// By group. `events`: each rank counted all of them.
std::map<std::uint64_t, RegionSum> region_sums(const Profile& profile,
                                               const std::vector<std::string>& events);

/// The events that each rank of each of these counted, with a total for each.
std::vector<std::string> events_of_all(const std::vector<const Profile*>& profiles);

/// What an event comes to in the whole run, over the ranks.
double event_total(const Profile& profile, const std::string& event);

/// A name for each group: what it begins and ends with; with all that is known of where these were
/// called from only where names would be the same.
std::map<std::uint64_t, std::string> region_names(const std::vector<PhaseGroup>& groups);

}  // namespace huddle
