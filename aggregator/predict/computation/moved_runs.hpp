#pragma once

#include <string>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// A profile whose ranks were moved for parts of the run, as one run for each placement.
struct RunsByPlacement {
  /// First the run as it would have been had nobody been moved; then, for each placement that it
  /// was moved to, the run as it would have been there from begin to end. They hold what samples
  /// of computation are made of, and nothing of communication.
  std::vector<Profile> runs;
  /// Why a placement gives no run: one sentence each, for people.
  std::vector<std::string> notes;
};

/// Whether the recorder has moved ranks of this run.
bool was_moved(const Profile& profile);

/// A phase's time on a placement is the mean of the passes there times the number of all passes;
/// its variance is that of such a sum, known from as many passes as there were. What was not seen
/// on a placement, phases without a whole pass there and what lies outside of phases, is taken to
/// be slowed down like the rest of the rank.
///
/// A placement gives no run if the phases seen there are less than half of a rank's computing time,
/// if not all ranks were moved, or if its pattern is not the same on all nodes (nodes with fewer
/// ranks may have a smaller one) or no other than that of the usual placement. `profile` is
/// complete.
RunsByPlacement runs_by_placement(const Profile& profile, const NodeTopology& node);

}  // namespace huddle
