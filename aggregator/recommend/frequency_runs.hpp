#pragma once

#include <optional>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/machine/machine_frequencies.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Runs of one program, told apart by frequency. The profiles are not owned.
struct RunsByFrequency {
  /// In the order in which they were given. Runs that don't know their frequency are here.
  std::vector<const Profile*> nominal;
  /// How long the cores are busy of a run's computation at the nominal frequency; nothing if no
  /// pattern was run at two frequencies.
  std::optional<Seconds> core_time;
};

/// All runs, whatever their frequency was; for questions in which frequencies do not matter.
RunsByFrequency all_as_nominal(const std::vector<Profile>& profiles);

/// `profiles`: one or more, complete. Throws UsageError if the first run, whose traffic counts and
/// which others are compared with, had another frequency than the nominal one.
RunsByFrequency sort_by_frequency(const std::vector<Profile>& profiles,
                                  const Frequencies& frequencies, const NodeTopology& node);

}  // namespace huddle
