#pragma once

#include <vector>

#include "aggregator/pattern/location.hpp"
#include "profiles/formats/machine.hpp"
#include "profiles/formats/profile.hpp"

namespace huddle {

/// A first, simple model of the time that a program's communication takes, from a table of latency
/// and bandwidth by distance:
/// - a message costs latency + bytes / bandwidth of the distance between its two ranks; a rank's
/// messages do not
///   overlap, and a rank is as slow as the larger of what it sends and what it receives;
/// - what leaves or enters a node shares the node's one link;
/// - a collective costs log2(participants) times latency + bytes / bandwidth at the widest distance
/// in the job
///   (an all-to-all: its bytes once, its latency for every partner);
/// - the slowest rank counts (task aggregation, section on communication).
/// It knows nothing of overlap with computation nor of waiting: an estimate for comparing
/// placements, not a promise. `locations` has one entry for each rank of the complete profile.
Seconds communication_time(const Profile& profile, const Machine& machine,
                           const std::vector<Location>& locations);

}  // namespace huddle
