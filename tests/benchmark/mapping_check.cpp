#include "tests/benchmark/mapping_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace huddle {
namespace {

// Walks up from both cores until they meet.
std::uint64_t distance_between(const commgraph::Hierarchy& hierarchy, std::uint32_t a,
                               std::uint32_t b) {
  if (a == b) return 0;
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    a /= hierarchy.arities()[level];
    b /= hierarchy.arities()[level];
    if (a == b) return hierarchy.distances()[level];
  }
  return 0;  // the outermost level holds all cores
}

}  // namespace

std::uint64_t cost_of_mapping(const commgraph::CommGraph& graph,
                              const commgraph::Hierarchy& hierarchy,
                              std::span<const std::uint32_t> core_of) {
  const commgraph::GraphView view = graph.view();
  std::uint64_t cost = 0;
  for (commgraph::Vertex v = 0; v < view.vertices(); ++v)
    for (std::uint64_t i = view.first[v]; i < view.first[std::size_t{v} + 1]; ++i)
      cost +=
          view.weights[i] * distance_between(hierarchy, core_of[v], core_of[view.neighbours[i]]);
  return cost;
}

std::uint32_t largest_load(std::span<const std::uint32_t> core_of, std::uint32_t cores) {
  std::vector<std::uint32_t> load(cores, 0);
  for (const std::uint32_t core : core_of) ++load[core];
  return load.empty() ? 0 : *std::max_element(load.begin(), load.end());
}

std::string fault_of_mapping(std::span<const std::uint32_t> core_of, std::uint32_t vertices) {
  if (core_of.size() != vertices)
    return fmt::format("it places {} of {} vertices", core_of.size(), vertices);
  std::vector<bool> taken(vertices, false);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (core_of[v] >= vertices)
      return fmt::format("it puts vertex {} on core {}, outside the first {}", v, core_of[v],
                         vertices);
    if (taken[core_of[v]]) return fmt::format("it uses core {} twice", core_of[v]);
    taken[core_of[v]] = true;
  }
  return {};
}

}  // namespace huddle
