#include "commgraph/topology/smt_node.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {

NodeTopology pus_of_node(const NodeTopology& node) {
  const std::size_t each = node.cores.front().pus.members().size();
  NodeTopology split = node;
  split.cores.clear();
  for (const NodeTopology::Core& core : node.cores) {
    const std::vector<std::uint32_t> pus = core.pus.members();
    if (pus.size() != each)
      throw UsageError(
          fmt::format("cores have {} and {} PUs: only nodes whose cores are alike can be shared "
                      "out by PUs",
                      each, pus.size()));
    for (const std::uint32_t pu : pus) {
      NodeTopology::Core& one = split.cores.emplace_back();
      one.first_pu = pu;
      one.pus.add(pu);
    }
  }
  split.pus_per_core = static_cast<std::uint32_t>(each);
  split.cores_per_die *= split.pus_per_core;
  return split;
}

}  // namespace huddle::commgraph
