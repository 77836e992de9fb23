#include "aggregator/predict/pattern/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

bool bound(const Location& location) {
  return location.package != Location::kSeveral && location.die != Location::kSeveral;
}

}  // namespace

Reference measured_reference(const Profile& profile, const commgraph::NodeTopology& node) {
  Reference reference;
  reference.locations = measured_locations(profile, node);
  reference.ranks_per_node = profile.ranks_per_node();
  reference.nodes = static_cast<std::uint32_t>(profile.nodes().size());
  const bool all_bound = std::all_of(reference.locations.begin(), reference.locations.end(), bound);
  if (!all_bound) {
    reference.pattern = widest_pattern(node, reference.ranks_per_node).name();
    return reference;
  }
  std::vector<Location> places = reference.locations;
  sort_by_place(places);
  reference.pattern = covering_pattern(places).name();
  return reference;
}

Reference reference_on(const Pattern& pattern, std::uint32_t ranks) {
  std::vector<std::uint32_t> cores(ranks);
  std::iota(cores.begin(), cores.end(), 0U);
  return {pattern.name(), pattern.ranks_per_node(), pattern.nodes_for(ranks),
          locations_on(pattern, cores)};
}

Reference reference_over(std::uint32_t nodes, std::uint32_t ranks,
                         const commgraph::NodeTopology& node) {
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

}  // namespace huddle::predict
