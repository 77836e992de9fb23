#include "aggregator/predict/pattern/sharing.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace huddle {

Sharing sharing_of(const Pattern& pattern) {
  return {pattern.cores, pattern.cores * pattern.dies, pattern.ranks_per_node()};
}

std::optional<Pattern> pattern_with(const Sharing& sharing) {
  if (sharing.package % sharing.die != 0 || sharing.node % sharing.package != 0) return {};
  return Pattern{sharing.node / sharing.package, sharing.package / sharing.die, sharing.die};
}

std::optional<std::vector<Sharing>> sharings_of(const std::vector<Location>& locations) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> on_die;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::uint32_t> on_package;
  std::map<std::uint32_t, std::uint32_t> on_node;
  for (const Location& at : locations) {
    if (at.package == Location::kSeveral || at.die == Location::kSeveral) return {};
    ++on_die[{at.node, at.package, at.die}];
    ++on_package[{at.node, at.package}];
    ++on_node[at.node];
  }
  std::vector<Sharing> sharings;
  sharings.reserve(locations.size());
  for (const Location& at : locations)
    sharings.push_back({on_die.at({at.node, at.package, at.die}),
                        on_package.at({at.node, at.package}), on_node.at(at.node)});
  return sharings;
}

std::optional<std::vector<RankClass>> classes_of(const std::vector<Location>& locations) {
  const std::optional<std::vector<Sharing>> sharings = sharings_of(locations);
  if (!sharings) return {};
  std::map<Sharing, std::vector<std::uint32_t>> ranks;
  for (std::uint32_t rank = 0; rank < sharings->size(); ++rank)
    ranks[(*sharings)[rank]].push_back(rank);
  std::vector<RankClass> classes;
  for (auto& [sharing, of_class] : ranks) classes.push_back({sharing, std::move(of_class)});
  return classes;
}

}  // namespace huddle
