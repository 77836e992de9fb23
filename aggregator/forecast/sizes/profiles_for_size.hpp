#pragma once

// The profiles that huddle recommend works with for one problem size: those of runs of that size,
// or else predicted ones.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/sizes/predicted_profile.hpp"
#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "aggregator/recommend/recommendation.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Profiles that all are of one problem size, measured or predicted.
struct ProfilesForSize {
  std::vector<Profile> profiles;
  /// Where they come from, if they were not measured; its own profiles are moved out.
  std::optional<PredictedProfiles> predicted;
  /// For people: what was not used, one sentence each.
  std::vector<std::string> notes;
};

/// `files`: the names of `profiles`, in that order. Without `size` all of them, which must not be
/// known to be of different sizes (UsageError). With it, those of that size, or else what the
/// others predict. Throws Error.
ProfilesForSize profiles_for_size(std::vector<Profile> profiles,
                                  const std::vector<std::string>& files, std::optional<double> size,
                                  const std::vector<SizeArgument>& places);

/// What huddle recommend --json has about a predicted size.
nlohmann::ordered_json json_of(const PredictedProfiles& predicted);

/// Says of what was predicted from predicted profiles that the measured runs were of other sizes,
/// and widens the intervals by the forecast's own; where that is unknown, so are they. That changes
/// no choice: whatever the size, a pattern and its reference are predicted together.
void widen_intervals(Recommendation& recommendation, const PredictedProfiles& predicted);

}  // namespace huddle
