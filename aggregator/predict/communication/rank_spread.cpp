#include "aggregator/predict/communication/rank_spread.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace huddle {
namespace {

// Of ranks in the order of their places.
RankSpread spread_of(const std::vector<Location>& places) {
  RankSpread spread;
  spread.ranks = static_cast<std::uint32_t>(places.size());
  std::uint32_t on_node = 0;
  std::uint32_t packages = 0;
  std::uint32_t dies = 0;
  std::uint32_t on_die = 0;
  const auto leave_node = [&] {
    spread.crossing =
        std::max(spread.crossing, std::uint64_t{on_node} * std::uint64_t{spread.ranks - on_node});
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Location& place = places[i];
    const bool same_node = i > 0 && place.node == places[i - 1].node;
    const bool same_package = same_node && place.package == places[i - 1].package;
    const bool same_die = same_package && place.die == places[i - 1].die;
    if (!same_node) {
      leave_node();
      ++spread.nodes;
    }
    on_node = same_node ? on_node + 1 : 1;
    packages = same_node ? packages + (same_package ? 0U : 1U) : 1;
    dies = same_package ? dies + (same_die ? 0U : 1U) : 1;
    on_die = same_die ? on_die + 1 : 1;
    spread.ranks_per_node = std::max(spread.ranks_per_node, on_node);
    spread.pattern.packages = std::max(spread.pattern.packages, packages);
    spread.pattern.dies = std::max(spread.pattern.dies, dies);
    spread.pattern.cores = std::max(spread.pattern.cores, on_die);
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
  const auto key = [](const Location& place) {
    return std::tuple(place.node, place.package, place.die);
  };
  const auto before = [&](const Location& a, const Location& b) { return key(a) < key(b); };
  if (!std::is_sorted(places.begin(), places.end(), before))
    std::sort(places.begin(), places.end(), before);
  return spread_of(places);
}

}  // namespace huddle
