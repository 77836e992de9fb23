#include "aggregator/choice/sampling.hpp"

#include <algorithm>
#include <tuple>

namespace huddle {
namespace {

// All cores, if there are ranks for that and as many others; else what leaves a quarter of the
// ranks for another node, as crowded as can be.
Pattern densest(const NodeTopology& node, std::uint32_t ranks) {
  Pattern best{1, 1, 1};
  const auto crowd = [](const Pattern& pattern) {
    return std::tuple(pattern.ranks_per_node(), pattern.dies * pattern.cores, pattern.cores);
  };
  const std::uint32_t all = node.packages * node.dies_per_package * node.cores_per_die;
  const std::uint32_t most = ranks >= 2 * all ? all : ranks - ranks / 4;
  for (const Pattern& pattern : patterns_of(node))
    if (pattern.ranks_per_node() <= most && crowd(pattern) > crowd(best)) best = pattern;
  return best;
}

// What tells most first: every cache shared, as full as can be; every cache shared, with half of
// the memory traffic; half of each cache; then what tells packages and dies apart.
std::vector<Pattern> wanted(const Pattern& dense) {
  const auto half = [](std::uint32_t number) { return std::max(number / 2, 1U); };
  std::vector<Pattern> patterns;
  for (const Pattern& pattern :
       {dense, Pattern{dense.packages, half(dense.dies), dense.cores},
        Pattern{dense.packages, dense.dies, half(dense.cores)},
        Pattern{half(dense.packages), half(dense.dies), half(dense.cores)},
        Pattern{1, 1, dense.cores}, Pattern{1, dense.dies, dense.cores},
        Pattern{dense.packages, dense.dies, 1}, Pattern{1, 1, half(dense.cores)}})
    if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end())
      patterns.push_back(pattern);
  return patterns;
}

}  // namespace

std::vector<Pattern> sampling_layout(const NodeTopology& node, std::uint32_t ranks,
                                     std::uint32_t most_nodes) {
  const Pattern dense = densest(node, ranks);
  const std::uint32_t fullest = dense.ranks_per_node();
  std::vector<Pattern> nodes;
  std::uint32_t left = ranks;
  // Whether the other ranks find room, on nodes as full as any.
  const auto fits = [&](const Pattern& pattern) {
    const std::uint32_t here = pattern.ranks_per_node();
    return here <= left && nodes.size() + 1 + (left - here + fullest - 1) / fullest <= most_nodes;
  };
  while (left > 0) {
    const std::size_t before = nodes.size();
    for (const Pattern& pattern : wanted(dense))
      if (fits(pattern)) {
        nodes.push_back(pattern);
        left -= pattern.ranks_per_node();
      }
    if (nodes.size() > before) continue;
    if (nodes.size() == most_nodes) return {};
    nodes.push_back(dense);  // a last node, not full
    left -= std::min(left, fullest);
  }
  const bool one_kind = std::all_of(
      nodes.begin(), nodes.end(), [&](const Pattern& pattern) { return pattern == nodes.front(); });
  if (one_kind) return {};
  return nodes;
}

std::vector<RankPlace> places_on(const std::vector<Pattern>& nodes, const NodeTopology& node,
                                 std::uint32_t ranks) {
  std::vector<RankPlace> places;
  for (std::uint32_t index = 0; index < nodes.size(); ++index)
    for (const PuSet& pus : slots_of(nodes[index], node))
      if (places.size() < ranks) places.push_back({{index}, pus});
  return places;
}

}  // namespace huddle
