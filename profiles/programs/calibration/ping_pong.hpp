#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiles/programs/calibration/rank_places.hpp"
#include "profiles/programs/calibration/session.hpp"

namespace huddle::calibration {

/// Pairs of ranks at one distance that exchange messages at the same time.
struct PairGroup {
  /// "die", "package", "node", "network".
  std::string distance;
  /// Ranks 0 and 1 of it are a pair, ranks 2 and 3 the next one.
  std::vector<int> ranks;

  [[nodiscard]] std::size_t pairs() const { return ranks.size() / 2; }
};

/// At each distance 1, 2, 4 ... pairs and as many as there are cores for; each adds to the ones
/// before. Neighbours first, so that few pairs are as close together as they can be. Inside the
/// first node, or over the network between the first two.
std::vector<PairGroup> pair_groups(const RankPlaces& places);

std::vector<std::size_t> message_sizes(std::size_t largest);

/// Measures what a message of each size takes, one way. Collective over MPI_COMM_WORLD.
void measure_pairs(Session& session, const PairGroup& group, std::size_t largest);

}  // namespace huddle::calibration
