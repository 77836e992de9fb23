#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/programs/calibration/rank_places.hpp"
#include "profiles/programs/calibration/session.hpp"

namespace huddle::calibration {

/// Ranks that are placed with a pattern, over one or more full nodes of it.
struct PatternGroup {
  /// "2:1:2".
  std::string pattern;
  /// Node by node.
  std::vector<int> ranks;
};

/// Returns the groups that can be measured with the ranks there are: patterns whose counts are
/// powers of two or all that the node has, over 1, 2, 4 ... nodes and all of them. Most useful
/// first: all cores and one core of a node on all nodes. Groups of fewer than two ranks are left
/// out.
std::vector<PatternGroup> pattern_groups(const RankPlaces& places);

/// A measurement that is made on such a group.
struct CollectiveCase {
  /// The function's name without MPI_, in lower case.
  std::string operation;
  /// Bytes that a rank contributes to a call; of a broadcast or scatter, that the root does.
  std::size_t bytes = 0;
};

/// For so many ranks.
std::vector<CollectiveCase> collective_cases(std::size_t ranks, std::size_t largest);

/// Measures what a call of each takes. Collective over MPI_COMM_WORLD.
void measure_collectives(Session& session, const PatternGroup& group, std::size_t largest);

}  // namespace huddle::calibration
