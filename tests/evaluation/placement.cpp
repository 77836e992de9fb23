#include "tests/evaluation/placement.hpp"

#include <map>
#include <numeric>
#include <tuple>

#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"

namespace huddle::evaluation {
namespace {

// `core_of`: by rank, a core of hierarchy_of(pattern, nodes).
Placement placed(const Pattern& pattern, const NodeTopology& node,
                 const std::vector<std::uint32_t>& core_of) {
  const std::vector<PuSet> slots = slots_of(pattern, node);
  Placement placement;
  for (const std::uint32_t core : core_of) {
    const std::uint32_t slot = core % pattern.ranks_per_node();
    placement.push_back({core / pattern.ranks_per_node(), slot / (pattern.dies * pattern.cores),
                         slot / pattern.cores % pattern.dies, slots[slot]});
  }
  return placement;
}

struct PlacedRanks {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> on_die;
  std::map<std::tuple<std::uint32_t, std::uint32_t>, std::uint32_t> on_package;
  std::map<std::uint32_t, std::uint32_t> on_node;
};

PlacedRanks counted(const Placement& placement) {
  PlacedRanks counts;
  for (const Place& place : placement) {
    ++counts.on_die[{place.node, place.package, place.die}];
    ++counts.on_package[{place.node, place.package}];
    ++counts.on_node[place.node];
  }
  return counts;
}

}  // namespace

Placement in_rank_order(const Pattern& pattern, const NodeTopology& node, std::uint32_t ranks) {
  std::vector<std::uint32_t> core_of(ranks);
  std::iota(core_of.begin(), core_of.end(), 0U);
  return placed(pattern, node, core_of);
}

Placement filled(const std::vector<Pattern>& nodes, const NodeTopology& node, std::uint32_t ranks) {
  Placement placement;
  for (std::uint32_t index = 0; index < nodes.size(); ++index) {
    std::vector<std::uint32_t> cores(nodes[index].ranks_per_node());
    std::iota(cores.begin(), cores.end(), 0U);
    for (Place place : placed(nodes[index], node, cores)) {
      place.node = index;
      if (placement.size() < ranks) placement.push_back(place);
    }
  }
  return placement;
}

Placement as_mapped(const Pattern& pattern, const NodeTopology& node, const Profile& profile) {
  const CommGraph graph = mapping_graph_of(profile, Weight::kBytes).graph;
  const Hierarchy hierarchy = hierarchy_of(pattern, pattern.nodes_for(profile.ranks));
  return placed(pattern, node, map_ranks(graph, hierarchy).core_of);
}

std::vector<Sharers> sharers_of(const Placement& placement) {
  const PlacedRanks counts = counted(placement);
  std::vector<Sharers> sharers;
  for (const Place& place : placement)
    sharers.push_back({counts.on_die.at({place.node, place.package, place.die}),
                       counts.on_package.at({place.node, place.package}),
                       counts.on_node.at(place.node), place.die % 2 == 1,
                       is_disturbed(place.node)});
  return sharers;
}

Occupied occupied_by(const Placement& placement) {
  const PlacedRanks counts = counted(placement);
  const auto number = [](const auto& map) { return static_cast<std::uint32_t>(map.size()); };
  return {number(counts.on_node), number(counts.on_package), number(counts.on_die),
          static_cast<std::uint32_t>(placement.size())};
}

}  // namespace huddle::evaluation
