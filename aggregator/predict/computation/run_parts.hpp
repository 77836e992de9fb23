#pragma once

#include <cstdint>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// Ranks of one run that all shared alike.
struct RunPart {
  const Profile* run = nullptr;
  Pattern pattern;
  /// Entries of the run's rank records, ascending; all of them if the whole run was on `pattern`.
  std::vector<std::uint32_t> ranks;
  /// A run of the same program whose ranks all shared alike. It tells how much of the program's
  /// work these ranks do. Null if they are all ranks, or if there is no such run.
  const Profile* baseline = nullptr;
};

/// What runs are samples of. A run whose nodes are filled in different ways is a sample of each of
/// these patterns, if another run tells what its ranks do when all share alike; else it counts as
/// on the pattern that covers all of its nodes. Profiles are complete, of one number of ranks, and
/// outlive the parts. Throws UsageError if one does not fit on a node.
std::vector<RunPart> parts_of(const std::vector<const Profile*>& profiles,
                              const NodeTopology& node);

/// Standard error of a part's mean time relative to its baseline, as its ranks differ in it; 0 of a
/// whole run.
double spread_of(const RunPart& part);

}  // namespace huddle
