#include "aggregator/predict/communication/rank_spread.hpp"

#include <algorithm>
#include <numeric>

namespace huddle::predict {
namespace {

// Returns the spread of ranks that are in the order of their places.
RankSpread spread_of(const std::vector<Location>& places) {
  RankSpread spread;
  spread.ranks = static_cast<std::uint32_t>(places.size());
  spread.pattern = covering_pattern(places);
  std::uint32_t on_node = 0;
  const auto leave_node = [&] {
    spread.crossing =
        std::max(spread.crossing, std::uint64_t{on_node} * std::uint64_t{spread.ranks - on_node});
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool same_node = i > 0 && places[i].node == places[i - 1].node;
    if (!same_node) {
      leave_node();
      ++spread.nodes;
    }
    on_node = same_node ? on_node + 1 : 1;
    spread.ranks_per_node = std::max(spread.ranks_per_node, on_node);
  }
  leave_node();
  return spread;
}

}  // namespace

SpreadFinder::SpreadFinder(const std::vector<Location>& locations) : locations_(locations) {
  std::uint32_t nodes = 0;
  for (const Location& location : locations) nodes = std::max(nodes, location.node + 1);
  ranks_on_.resize(nodes);
  for (std::uint32_t rank = 0; rank < locations.size(); ++rank)
    ranks_on_[locations[rank].node].push_back(rank);
  std::vector<std::uint32_t> all(locations.size());
  std::iota(all.begin(), all.end(), 0U);
  of_all_ = of(all);
}

RankSpread SpreadFinder::of_node(std::uint32_t node) const {
  return of(ranks_on_[node]);
}

RankSpread SpreadFinder::of(const std::vector<std::uint32_t>& members) const {
  std::vector<Location> places;
  places.reserve(members.size());
  for (const std::uint32_t rank : members) places.push_back(locations_[rank]);
  sort_by_place(places);
  return spread_of(places);
}

}  // namespace huddle::predict
