#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/programs/calibration/rank_places.hpp"
#include "profiles/programs/calibration/session.hpp"

namespace huddle::calibration {

/// Ranks that stream at the same time.
struct StreamGroup {
  /// The thing that they are in: "die", "package" or "node".
  std::string within;
  std::vector<int> ranks;
};

/// 1, 2, 4 ... ranks and all of the first die, package and node: spread over the dies of the
/// package and over the packages of the node as evenly as can be. A level that holds one of the
/// level below is left out.
std::vector<StreamGroup> stream_groups(const RankPlaces& places);

/// Measures what memory delivers to them together (triad), with three arrays of `bytes` each.
/// Collective over MPI_COMM_WORLD.
void measure_streams(Session& session, const StreamGroup& group, std::size_t bytes);

}  // namespace huddle::calibration
