#include "tests/evaluation/placement.hpp"

#include <map>
#include <numeric>
#include <tuple>

#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/mapping/mapper.hpp"

namespace huddle::evaluation {
namespace {

// `core_of`: by rank, a core of hierarchy_of(pattern, nodes).
Placement placed(const predict::Pattern& pattern, const commgraph::NodeTopology& node,
                 const std::vector<std::uint32_t>& core_of) {
  const std::vector<PuSet> slots = predict::slots_of(pattern, node);
  Placement placement;
  for (const std::uint32_t core : core_of) {
    const std::uint32_t slot = core % pattern.ranks_per_node();
    const std::uint32_t used_die = slot / pattern.ranks_per_die() % pattern.dies_per_package();
    const std::uint32_t numa_node = pattern.numa_nodes > 0 ? used_die / pattern.dies : 0;
    const std::uint32_t die = numa_node * node.dies_per_numa() + used_die % pattern.dies;
    Place& place = placement.emplace_back(Place{core / pattern.ranks_per_node(),
                                                slot / pattern.ranks_per_package(), die,
                                                slots[slot], slot / pattern.pus % pattern.cores});
    if (pattern.numa_nodes > 0) place.numa_node = numa_node;
  }
  return placement;
}

using Part = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;

struct PlacedRanks {
  std::map<Part, std::uint32_t> on_core;
  std::map<Part, std::uint32_t> on_die;
  std::map<Part, std::uint32_t> on_numa_node;
  std::map<Part, std::uint32_t> on_package;
  std::map<std::uint32_t, std::uint32_t> on_node;
};

Part numa_node_of(const Place& place) {
  return {place.node, place.package, *place.numa_node, 0};
}

PlacedRanks counted(const Placement& placement) {
  PlacedRanks counts;
  for (const Place& place : placement) {
    ++counts.on_core[{place.node, place.package, place.die, place.core}];
    ++counts.on_die[{place.node, place.package, place.die, 0}];
    if (place.numa_node) ++counts.on_numa_node[numa_node_of(place)];
    ++counts.on_package[{place.node, place.package, 0, 0}];
    ++counts.on_node[place.node];
  }
  return counts;
}

}  // namespace

Placement in_rank_order(const predict::Pattern& pattern, const commgraph::NodeTopology& node,
                        std::uint32_t ranks) {
  std::vector<std::uint32_t> core_of(ranks);
  std::iota(core_of.begin(), core_of.end(), 0U);
  return placed(pattern, node, core_of);
}

Placement filled(const std::vector<predict::Pattern>& nodes, const commgraph::NodeTopology& node,
                 std::uint32_t ranks) {
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

Placement as_mapped(const predict::Pattern& pattern, const commgraph::NodeTopology& node,
                    const Profile& profile) {
  const commgraph::CommGraph graph =
      commgraph::mapping_graph_of(profile, commgraph::Weight::kBytes).graph;
  const commgraph::Hierarchy hierarchy =
      predict::hierarchy_of(pattern, pattern.nodes_for(profile.ranks));
  return placed(pattern, node, commgraph::map_ranks(graph, hierarchy).core_of);
}

std::vector<Sharers> sharers_of(const Placement& placement) {
  const PlacedRanks counts = counted(placement);
  std::vector<Sharers> sharers;
  for (const Place& place : placement)
    sharers.push_back({counts.on_die.at({place.node, place.package, place.die, 0}),
                       counts.on_package.at({place.node, place.package, 0, 0}),
                       counts.on_node.at(place.node), place.die % 2 == 1, is_disturbed(place.node),
                       counts.on_core.at({place.node, place.package, place.die, place.core}),
                       place.numa_node ? counts.on_numa_node.at(numa_node_of(place)) : 0});
  return sharers;
}

Occupied occupied_by(const Placement& placement) {
  const PlacedRanks counts = counted(placement);
  const auto number = [](const auto& map) { return static_cast<std::uint32_t>(map.size()); };
  return {number(counts.on_node), number(counts.on_package), number(counts.on_die),
          number(counts.on_core)};
}

}  // namespace huddle::evaluation
