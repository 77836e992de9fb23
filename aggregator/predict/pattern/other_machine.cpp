#include "aggregator/predict/pattern/other_machine.hpp"

#include <fmt/format.h>

#include <set>

#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

std::set<std::uint32_t> pus_of(const commgraph::NodeTopology& node) {
  std::set<std::uint32_t> pus;
  const auto add = [&](const PuSet& some) {
    for (const std::uint32_t pu : some.members()) pus.insert(pu);
  };
  for (const commgraph::NodeTopology::Core& core : node.cores) add(core.pus);
  for (const commgraph::NodeTopology::Idle& idle : node.idle) add(idle.pus);
  return pus;
}

}  // namespace

std::string sign_of_another_machine(const Profile& profile, const Machine& machine) {
  const auto is_of_another = [&](const std::string& sign) {
    return fmt::format("the profile is of another machine than {}: {}", shortened(machine.name),
                       sign);
  };
  std::set<std::string> nodes;
  for (const RankRecord& record : profile.rank_records)
    if (!record.node.empty()) nodes.insert(record.node);
  if (machine.nodes > 0 && nodes.size() > machine.nodes)
    return is_of_another(
        fmt::format("its ranks ran on {} nodes, of {}", nodes.size(), machine.nodes));
  const std::set<std::uint32_t> pus =
      pus_of(commgraph::load_topology(machine.topology, "the machine's topology"));
  for (const RankRecord& record : profile.rank_records)
    for (const std::uint32_t pu : record.pus.members())
      if (!pus.contains(pu))
        return is_of_another(fmt::format("rank {} ran on PUs {}, which its nodes don't have",
                                         record.rank.value, shortened(record.pus.list())));
  return {};
}

}  // namespace huddle::predict
