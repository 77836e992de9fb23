#include "aggregator/predict/energy/pattern_energy.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace huddle {
namespace {

// The ranks of one node.
struct NodeUse {
  std::set<std::uint32_t> packages;
  std::set<std::pair<std::uint32_t, std::uint32_t>> dies;
  std::uint32_t ranks_on_any_package = 0;
  std::uint32_t ranks_on_any_die = 0;  // of a known package
  std::uint32_t ranks = 0;
};

std::uint32_t count_of(std::size_t known, std::uint32_t anywhere, std::uint32_t most) {
  return std::min(static_cast<std::uint32_t>(known) + anywhere, most);
}

}  // namespace

BusyParts busy_parts(const std::vector<Location>& locations, const NodeTopology& node) {
  std::map<std::uint32_t, NodeUse> nodes;
  for (const Location& location : locations) {
    NodeUse& use = nodes[location.node];
    ++use.ranks;
    if (location.package == Location::kSeveral) {
      ++use.ranks_on_any_package;
      continue;
    }
    use.packages.insert(location.package);
    if (location.die == Location::kSeveral)
      ++use.ranks_on_any_die;
    else
      use.dies.insert({location.package, location.die});
  }
  BusyParts busy;
  busy.nodes = static_cast<std::uint32_t>(nodes.size());
  for (const auto& [number, use] : nodes) {
    busy.packages += count_of(use.packages.size(), use.ranks_on_any_package, node.packages);
    busy.dies += count_of(use.dies.size(), use.ranks_on_any_package + use.ranks_on_any_die,
                          node.packages * node.dies_per_package);
    busy.cores += use.ranks;
  }
  return busy;
}

BusyParts BusyParts::for_ranks_of(const RankShape& rank) const {
  return {nodes, packages * rank.packages, dies * rank.dies * rank.packages, cores * rank.cores};
}

Watts power_of(const PowerFigures& power, const BusyParts& busy) {
  return busy.nodes * power.idle_node + busy.packages * power.package + busy.dies * power.die +
         busy.cores * power.core;
}

Joules energy_of(const PowerFigures& power, const BusyParts& busy, Seconds time,
                 std::uint32_t unused, UnusedNodes become) {
  Watts drawn = power_of(power, busy);
  if (become == UnusedNodes::kIdle) drawn += unused * power.idle_node;
  if (become == UnusedNodes::kOff) drawn += unused * power.off_node;
  return {drawn.value * time.value};
}

}  // namespace huddle
