#include "profiles/formats/plan/launch_files.hpp"

#include <fmt/format.h>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

void check_enough(const Plan& plan, const std::vector<std::string>& nodes) {
  if (nodes.size() < plan.chosen.nodes)
    throw Error(
        fmt::format("the plan needs {} nodes and there are {}", plan.chosen.nodes, nodes.size()));
  for (const std::string& name : nodes)
    if (name.empty()) throw Error("the list of nodes holds an empty name");
}

}  // namespace

std::string slurm_node_list(const Plan& plan, const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::string list;
  for (const RankPlace& place : plan.placement) {
    if (!list.empty()) list += ',';
    list += nodes[place.node.value];
  }
  return list;
}

std::string slurm_host_file(const Plan& plan, const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::string lines;
  for (const RankPlace& place : plan.placement) lines += nodes[place.node.value] + '\n';
  return lines;
}

std::string openmpi_rankfile(const Plan& plan, const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::string lines;
  for (std::size_t rank = 0; rank < plan.placement.size(); ++rank) {
    const RankPlace& place = plan.placement[rank];
    lines += fmt::format("rank {}={} slot={}\n", rank, nodes[place.node.value], place.pus.list());
  }
  return lines;
}

std::string openmpi_rankfile_of_nodes(const Plan& plan, const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::vector<PuSet> used(plan.chosen.nodes);
  for (const RankPlace& place : plan.placement)
    for (const std::uint32_t pu : place.pus.members()) used[place.node.value].add(pu);
  std::string lines;
  for (std::size_t rank = 0; rank < plan.placement.size(); ++rank) {
    const std::uint32_t node = plan.placement[rank].node.value;
    lines += fmt::format("rank {}={} slot={}\n", rank, nodes[node], used[node].list());
  }
  return lines;
}

std::string openmpi_rankfile_of_shared_nodes(const Plan& plan,
                                             const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::string lines;
  for (std::size_t rank = 0; rank < plan.placement.size(); ++rank)
    lines += fmt::format("rank {}={} slot=S*\n", rank, nodes[plan.placement[rank].node.value]);
  return lines;
}

std::string mpich_host_file(const Plan& plan, const std::vector<std::string>& nodes) {
  check_enough(plan, nodes);
  std::string lines;
  for (std::size_t rank = 0; rank < plan.placement.size();) {
    const NodeIndex node = plan.placement[rank].node;
    std::size_t last = rank;
    while (last + 1 < plan.placement.size() && plan.placement[last + 1].node == node) ++last;
    lines += fmt::format("{}:{}\n", nodes[node.value], last - rank + 1);
    rank = last + 1;
  }
  return lines;
}

}  // namespace huddle
