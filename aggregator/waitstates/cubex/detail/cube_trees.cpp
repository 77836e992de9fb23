#include "aggregator/waitstates/cubex/detail/cube_trees.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace huddle {
namespace {

// Whose parent is the root comes last.
std::vector<std::vector<std::uint32_t>> children_of(const WaitReport& report) {
  const std::size_t paths = report.call_paths.size();
  std::vector<std::vector<std::uint32_t>> children(paths + 1);
  for (std::uint32_t i = 0; i < paths; ++i) {
    const std::uint32_t parent = report.call_paths[i].parent;
    children[parent < i ? parent : paths].push_back(i);
  }
  return children;
}

}  // namespace

CubeCallTree cube_call_tree(const WaitReport& report) {
  const std::vector<std::vector<std::uint32_t>> children = children_of(report);
  CubeCallTree tree;
  tree.regions.push_back({"(all call paths)"});
  tree.nodes.push_back({});
  tree.node_of_path.resize(report.call_paths.size());
  std::map<CubeCallTree::Region, std::uint32_t> numbers;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;  // path, depth
  const auto push_children = [&](std::size_t of, std::uint32_t depth) {
    for (auto child = children[of].rbegin(); child != children[of].rend(); ++child)
      stack.emplace_back(*child, depth);
  };
  push_children(report.call_paths.size(), 1);
  while (!stack.empty()) {
    const auto [path, depth] = stack.back();
    stack.pop_back();
    const CallPath& of = report.call_paths[path];
    CubeCallTree::Region region{of.region, of.mpi, of.file, of.line};
    const auto [known, added] =
        numbers.emplace(region, static_cast<std::uint32_t>(tree.regions.size()));
    if (added) tree.regions.push_back(std::move(region));
    tree.node_of_path[path] = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.push_back({path, depth, known->second});
    push_children(path, depth + 1);
  }
  return tree;
}

CubeSystemTree cube_system_tree(const WaitReport& report) {
  const std::vector<std::uint32_t> order = by_rank_and_thread(report);
  CubeSystemTree tree;
  std::map<std::string, std::size_t> numbers;
  CubeSystemTree::Process* process = nullptr;
  for (const std::uint32_t location : order) {
    const ReportLocation& at = report.locations[location];
    if (process == nullptr || process->rank != at.rank) {
      const auto [node, added] = numbers.emplace(at.node, tree.nodes.size());
      if (added) tree.nodes.push_back({at.node, {}});
      process = &tree.nodes[node->second].processes.emplace_back();
      process->rank = at.rank;
    }
    process->locations.push_back(location);
  }
  tree.place_of_location.resize(order.size());
  std::uint32_t place = 0;
  for (const CubeSystemTree::Node& node : tree.nodes)
    for (const CubeSystemTree::Process& of : node.processes)
      for (const std::uint32_t location : of.locations) tree.place_of_location[location] = place++;
  return tree;
}

}  // namespace huddle
