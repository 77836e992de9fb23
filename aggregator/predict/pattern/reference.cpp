#include "aggregator/predict/pattern/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

bool bound(const Location& location) {
  return location.package != Location::kSeveral && location.die != Location::kSeveral;
}

// The smallest pattern that covers what each node used.
Pattern covering_pattern(const std::vector<Location>& locations) {
  std::map<std::uint32_t, std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>>> used;
  for (const Location& at : locations) ++used[at.node][at.package][at.die];
  Pattern pattern{1, 1, 1};
  for (const auto& [node, packages] : used) {
    pattern.packages = std::max(pattern.packages, static_cast<std::uint32_t>(packages.size()));
    for (const auto& [package, dies] : packages) {
      pattern.dies = std::max(pattern.dies, static_cast<std::uint32_t>(dies.size()));
      for (const auto& [die, ranks] : dies) pattern.cores = std::max(pattern.cores, ranks);
    }
  }
  return pattern;
}

}  // namespace

Reference measured_reference(const Profile& profile, const NodeTopology& node) {
  Reference reference;
  reference.locations = measured_locations(profile, node);
  reference.ranks_per_node = profile.ranks_per_node();
  reference.nodes = static_cast<std::uint32_t>(profile.nodes().size());
  const bool all_bound = std::all_of(reference.locations.begin(), reference.locations.end(), bound);
  const Pattern pattern = all_bound ? covering_pattern(reference.locations)
                                    : widest_pattern(node, reference.ranks_per_node);
  reference.pattern = pattern.name();
  return reference;
}

Reference reference_on(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<std::uint32_t> cores(ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return {pattern.name(), pattern.ranks_per_node(), pattern.nodes_for(ranks),
          locations_on(pattern, cores)};
}

Reference reference_over(std::uint32_t nodes, std::uint32_t ranks, const NodeTopology& node) {
  if (nodes == 0 || nodes > ranks)
    throw UsageError(fmt::format("{} ranks can't be spread over {} nodes", ranks, nodes));
  const std::uint32_t most = (ranks - 1) / nodes + 1;
  const Pattern pattern = widest_pattern(node, most);
  const std::uint32_t full = ranks - (most - 1) * nodes;  // nodes that hold `most` ranks
  Reference reference{pattern.name(), most, nodes, {}};
  for (std::uint32_t index = 0; index < nodes; ++index) {
    const std::uint32_t here = index < full ? most : most - 1;
    for (std::uint32_t slot = 0; slot < here; ++slot) {
      Location at = locations_on(pattern, {slot}).front();
      at.node = index;
      reference.locations.push_back(at);
    }
  }
  return reference;
}

}  // namespace huddle
