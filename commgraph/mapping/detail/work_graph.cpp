#include "commgraph/mapping/detail/work_graph.hpp"

#include <algorithm>
#include <numeric>

namespace huddle::commgraph {
namespace {

// Appends what is reachable from `start` to `order`, breadth first.
void walk(const GraphView& graph, Vertex start, std::vector<bool>& seen,
          std::vector<Vertex>& order) {
  std::size_t next = order.size();
  seen[start] = true;
  order.push_back(start);
  for (; next < order.size(); ++next)
    for (const Vertex u : graph.neighbours_of(order[next]))
      if (!seen[u]) {
        seen[u] = true;
        order.push_back(u);
      }
}

}  // namespace

std::vector<Vertex> locality_order(const GraphView& graph) {
  std::vector<Vertex> order;
  order.reserve(graph.vertices());
  std::vector<bool> seen(graph.vertices(), false);
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (seen[v]) continue;
    // The last one that a first walk reaches is at the rim: the second walk begins there.
    const std::size_t begin = order.size();
    walk(graph, v, seen, order);
    const Vertex rim = order.back();
    for (std::size_t i = begin; i < order.size(); ++i) seen[order[i]] = false;
    order.resize(begin);
    walk(graph, rim, seen, order);
  }
  return order;
}

WorkGraph renumbered(const GraphView& graph, std::span<const Vertex> order) {
  std::vector<Vertex> number(order.size());
  for (Vertex i = 0; i < order.size(); ++i) number[order[i]] = i;
  WorkGraph result;
  result.first.reserve(order.size() + 1);
  result.arcs.reserve(graph.arcs());
  for (const Vertex v : order) {
    const auto neighbours = graph.neighbours_of(v);
    const auto weights = graph.weights_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      result.arcs.push_back({number[neighbours[i]], static_cast<float>(weights[i])});
    result.first.push_back(result.arcs.size());
  }
  return result;
}

WorkGraph induced(const WorkGraph& graph, std::span<const Vertex> members,
                  std::vector<Vertex>& number) {
  for (Vertex i = 0; i < members.size(); ++i) number[members[i]] = i;
  WorkGraph result;
  result.first.reserve(members.size() + 1);
  for (const Vertex v : members) {
    for (const Arc& arc : graph.arcs_of(v))
      if (number[arc.to] != kNoVertex) result.arcs.push_back({number[arc.to], arc.weight});
    result.first.push_back(result.arcs.size());
  }
  for (const Vertex v : members) number[v] = kNoVertex;
  return result;
}

WorkGraph contracted(const WorkGraph& graph, std::span<const std::uint32_t> group_of,
                     std::uint32_t groups) {
  std::vector<std::uint32_t> begin(std::size_t{groups} + 1, 0);
  for (const std::uint32_t group : group_of) ++begin[group + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Vertex> members(group_of.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (Vertex v = 0; v < group_of.size(); ++v) members[next[group_of[v]]++] = v;

  WorkGraph result;
  result.first.reserve(std::size_t{groups} + 1);
  result.arcs.reserve(graph.arcs.size() / 2);
  // Where the row being made has its arc to a group, if that is not before the row's begin.
  std::vector<std::uint64_t> place(groups, 0);
  for (std::uint32_t group = 0; group < groups; ++group) {
    const std::uint64_t row = result.arcs.size();
    for (std::uint32_t i = begin[group]; i < begin[group + 1]; ++i)
      for (const Arc& arc : graph.arcs_of(members[i])) {
        const std::uint32_t to = group_of[arc.to];
        if (to == group) continue;
        if (place[to] >= row && place[to] < result.arcs.size() && result.arcs[place[to]].to == to) {
          result.arcs[place[to]].weight += arc.weight;
        } else {
          place[to] = result.arcs.size();
          result.arcs.push_back({to, arc.weight});
        }
      }
    result.first.push_back(result.arcs.size());
  }
  return result;
}

WorkGraph heaviest_arcs(const WorkGraph& graph, std::size_t most) {
  // The weight that an arc of each vertex must have to be among its heaviest.
  std::vector<float> least(graph.vertices(), 0);
  std::vector<float> weights;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    const auto arcs = graph.arcs_of(v);
    if (arcs.size() <= most) continue;
    weights.clear();
    for (const Arc& arc : arcs) weights.push_back(arc.weight);
    const auto nth = weights.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(weights.begin(), nth, weights.end(), std::greater<>());
    least[v] = *nth;
  }
  WorkGraph result;
  result.first.reserve(graph.first.size());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    // Where many weigh the same, the number of arcs is bounded all the same: nearest numbers first.
    std::size_t room = 4 * most;
    for (const Arc& arc : graph.arcs_of(v))
      if (room > 0 && (arc.weight >= least[v] || arc.weight >= least[arc.to])) {
        result.arcs.push_back(arc);
        --room;
      }
    result.first.push_back(result.arcs.size());
  }
  return result;
}

double mean_weight(const WorkGraph& graph) {
  double sum = 0;
  for (const Arc& arc : graph.arcs) sum += static_cast<double>(arc.weight);
  return graph.arcs.empty() ? 0 : sum / static_cast<double>(graph.arcs.size());
}

double cut_weight(const WorkGraph& graph, std::span<const std::uint32_t> group_of) {
  double cut = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v)
    for (const Arc& arc : graph.arcs_of(v))
      if (group_of[v] != group_of[arc.to]) cut += static_cast<double>(arc.weight);
  return cut;
}

}  // namespace huddle::commgraph
