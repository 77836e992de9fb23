#include "commgraph/mapping/objective.hpp"

#include <fmt/format.h>

#include <limits>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

void check(const CommGraph& graph, const Hierarchy& hierarchy,
           std::span<const std::uint32_t> core_of) {
  if (core_of.size() != graph.vertices())
    throw Error(fmt::format("the mapping places {} vertices, but the graph has {}", core_of.size(),
                            graph.vertices()));
  for (std::size_t v = 0; v < core_of.size(); ++v)
    if (core_of[v] >= hierarchy.cores())
      throw Error(fmt::format("the mapping puts vertex {} on core {}, but the hierarchy has {}", v,
                              core_of[v], hierarchy.cores()));
}

}  // namespace

ExactCost exact_cost(const GraphView& graph, const Hierarchy& hierarchy,
                     std::span<const std::uint32_t> core_of) {
  ExactCost cost = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const auto neighbours = graph.neighbours_of(v);
    const auto weights = graph.weights_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      cost += ExactCost{weights[i]} * hierarchy.distance(core_of[v], core_of[neighbours[i]]);
  }
  return cost;
}

std::uint64_t objective(const CommGraph& graph, const Hierarchy& hierarchy,
                        std::span<const std::uint32_t> core_of) {
  check(graph, hierarchy, core_of);
  const ExactCost cost = exact_cost(graph.view(), hierarchy, core_of);
  if (cost > std::numeric_limits<std::uint64_t>::max())
    throw Error(
        "the sum of weight x distance is 2^64 or more: scale the weights or distances down");
  return static_cast<std::uint64_t>(cost);
}

std::uint64_t weight_between_nodes(const CommGraph& graph, const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> core_of) {
  check(graph, hierarchy, core_of);
  const GraphView view = graph.view();
  std::uint64_t sum = 0;
  for (Vertex v = 0; v < view.vertices(); ++v) {
    const auto neighbours = view.neighbours_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const Vertex u = neighbours[i];
      if (v < u && hierarchy.node_of(core_of[v]) != hierarchy.node_of(core_of[u]))
        sum += view.weights_of(v)[i];
    }
  }
  return sum;
}

}  // namespace huddle::commgraph
