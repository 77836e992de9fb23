#pragma once

#include <string>
#include <vector>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/formats/profile/profile.hpp"

namespace huddle {

/// A measured run and the size of the problem that it solved.
struct SizedRun {
  Profile profile;
  double size = 0;
  /// What errors call it.
  std::string file;
};

/// Runs of one program whose ranks were on the same cores of as many nodes; ascending by size.
struct RunsOfLayout {
  std::vector<const Profile*> profiles;
  /// Of each, in that order.
  std::vector<double> sizes;

  [[nodiscard]] std::vector<double> different_sizes() const;
};

/// By the build id, or where one is unknown, by the executable.
bool same_program(const Profile& a, const Profile& b);

/// Throws Error, naming the file, unless all runs are complete, have a run time, and are of one
/// program (same_program()) with one number of ranks.
void check_one_program(const std::vector<SizedRun>& runs);

/// In place of each run whose ranks the recorder has moved, the run as it would have been had
/// nobody been moved, and behind it those on the placements that ranks were moved to, which know
/// nothing of communication (moved_runs.hpp). Others stay as they are.
std::vector<SizedRun> told_apart_by_placement(std::vector<SizedRun> runs, const NodeTopology& node);

/// By where the ranks were; the layout of the first run is first. Points into `runs`.
std::vector<RunsOfLayout> by_layout(const std::vector<SizedRun>& runs);

}  // namespace huddle
