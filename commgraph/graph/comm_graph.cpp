#include "commgraph/graph/comm_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

struct Arc {
  Vertex to = 0;
  std::uint64_t weight = 0;
};

void drop_what_weighs_nothing(std::vector<WeightedEdge>& edges) {
  std::erase_if(edges, [](const WeightedEdge& e) { return e.a == e.b || e.weight == 0; });
}

void check(std::uint32_t vertices, const std::vector<WeightedEdge>& edges) {
  for (const WeightedEdge& edge : edges)
    if (edge.a >= vertices || edge.b >= vertices)
      throw Error(fmt::format("an edge joins vertices {} and {}, but the graph has only {}", edge.a,
                              edge.b, vertices));
}

std::uint64_t checked_total(const std::vector<WeightedEdge>& edges) {
  constexpr std::uint64_t kMostWeight = std::numeric_limits<std::uint64_t>::max() / 2;
  std::uint64_t total = 0;
  for (const WeightedEdge& edge : edges) {
    if (edge.weight > kMostWeight - total)
      throw Error(
          "the weights of the graph's edges sum to more than 2^63: scale them down (for mapping, "
          "only their ratios count)");
    total += edge.weight;
  }
  return total;
}

std::vector<std::uint64_t> row_starts(std::uint32_t vertices,
                                      const std::vector<WeightedEdge>& edges) {
  std::vector<std::uint64_t> first(std::size_t{vertices} + 1, 0);
  for (const WeightedEdge& edge : edges) {
    ++first[std::size_t{edge.a} + 1];
    ++first[std::size_t{edge.b} + 1];
  }
  for (std::size_t v = 0; v < vertices; ++v) first[v + 1] += first[v];
  return first;
}

// Sorts the row's arcs by target and adds up those to the same one; returns how many are left.
std::size_t merge_row(std::span<Arc> row) {
  std::sort(row.begin(), row.end(), [](const Arc& x, const Arc& y) { return x.to < y.to; });
  std::size_t kept = 0;
  for (const Arc& arc : row) {
    if (kept > 0 && row[kept - 1].to == arc.to)
      row[kept - 1].weight += arc.weight;
    else
      row[kept++] = arc;
  }
  return kept;
}

}  // namespace

// Compressed sparse rows as GraphView shows them. Each edge is stored from both ends, which is what
// partitioners want to read; see docs/decisions/0011-mapping-engine.md.
struct CommGraph::Storage {
  std::vector<std::uint64_t> first{0};
  std::vector<Vertex> neighbours;
  std::vector<std::uint64_t> weights;
  std::uint64_t total_weight = 0;

  Storage(std::uint32_t vertices, const std::vector<WeightedEdge>& edges);
};

CommGraph::Storage::Storage(std::uint32_t vertices, const std::vector<WeightedEdge>& edges)
    : total_weight(checked_total(edges)) {
  std::vector<std::uint64_t> begin = row_starts(vertices, edges);
  std::vector<Arc> arcs(begin.back());
  std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
  for (const WeightedEdge& edge : edges) {
    arcs[next[edge.a]++] = {edge.b, edge.weight};
    arcs[next[edge.b]++] = {edge.a, edge.weight};
  }

  first.reserve(begin.size());
  neighbours.reserve(arcs.size());
  weights.reserve(arcs.size());
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto row = std::span(arcs).subspan(begin[v], begin[v + 1] - begin[v]);
    for (const Arc& arc : row.first(merge_row(row))) {
      neighbours.push_back(arc.to);
      weights.push_back(arc.weight);
    }
    first.push_back(neighbours.size());
  }
}

CommGraph::CommGraph(std::uint32_t vertices) : CommGraph(vertices, {}) {}

CommGraph::CommGraph(std::uint32_t vertices, std::vector<WeightedEdge> edges) {
  check(vertices, edges);
  drop_what_weighs_nothing(edges);
  storage_ = std::make_shared<const Storage>(vertices, edges);
}

std::uint64_t CommGraph::total_weight() const {
  return storage_->total_weight;
}

GraphView CommGraph::view() const {
  return {storage_->first, storage_->neighbours, storage_->weights};
}

CommGraph comm_graph_of(const Profile& profile, Weight weight) {
  std::vector<WeightedEdge> edges;
  for_each_counted(profile, [&](const PairTraffic& pair) {
    edges.push_back({pair.a, pair.b, weight == Weight::kBytes ? pair.bytes : pair.messages});
  });
  return {profile.ranks, std::move(edges)};
}

namespace {

void add(std::uint64_t& sum, std::uint64_t amount) {
  if (__builtin_add_overflow(sum, amount, &sum))
    throw Error("two ranks of the profile exchange 2^64 messages or bytes, or more");
}

}  // namespace

std::vector<PairTraffic> added_up(std::vector<PairTraffic> traffic) {
  std::erase_if(traffic, [](const PairTraffic& pair) { return pair.a == pair.b; });
  for (PairTraffic& pair : traffic)
    if (pair.a > pair.b) std::swap(pair.a, pair.b);
  std::sort(traffic.begin(), traffic.end(), [](const PairTraffic& x, const PairTraffic& y) {
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
  std::size_t kept = 0;
  for (const PairTraffic& pair : traffic) {
    if (kept > 0 && traffic[kept - 1].a == pair.a && traffic[kept - 1].b == pair.b) {
      add(traffic[kept - 1].messages, pair.messages);
      add(traffic[kept - 1].bytes, pair.bytes);
    } else {
      traffic[kept++] = pair;
    }
  }
  traffic.resize(kept);
  return traffic;
}

}  // namespace huddle::commgraph
