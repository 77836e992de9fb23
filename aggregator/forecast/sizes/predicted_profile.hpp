#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aggregator/forecast/sizes/sized_runs.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// Profiles of a problem size that was not measured.
struct PredictedProfiles {
  double size = 0;
  /// The different sizes that they are predicted from; ascending.
  std::vector<double> from;
  /// One for each layout that runs of two sizes or more are of; that of the first run first. What
  /// meters and traces recorded is not predicted.
  std::vector<Profile> profiles;
  /// The run time on the first one's layout. Its interval is known from three sizes on.
  Seconds run_time;
  std::optional<Seconds> run_time_low;
  std::optional<Seconds> run_time_high;
  /// By how much the size lies beyond the measured ones: 2 is twice the largest, or half the
  /// smallest; 1 between them.
  double beyond = 1;
  /// Why to trust it less: one sentence each, for people.
  std::vector<std::string> notes;
};

/// Predicts the profiles of a size, above 0, from runs of others. Messages and calls of each rank
/// follow CountsBySize; times, counters and what a pass of a phase takes follow scaling laws.
/// Throws Error, naming the file, if the runs do not belong together (check_one_program()), or no
/// layout was run with two sizes.
PredictedProfiles predict_profiles(const std::vector<SizedRun>& runs, double size);

/// "predicted for size 512 from sizes 64, 128, 256 (not measured): it takes 12.3 s (10.9 to 14.1)
/// laid out as it was".
std::string text_of(const PredictedProfiles& predicted);

}  // namespace huddle
