#include "commgraph/graph/comm_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <limits>

#include "commgraph/graph/pair_traffic.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

// Each edge is stored from both ends, which is what partitioners want to read.
using Rows = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::uint64_t,
                                                boost::no_property, Vertex, std::uint64_t>;

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
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 2;
  std::uint64_t total = 0;
  for (const WeightedEdge& edge : edges) {
    if (edge.weight > kMost - total)
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

Rows rows_of(std::uint32_t vertices, const std::vector<WeightedEdge>& edges) {
  std::vector<std::uint64_t> first = row_starts(vertices, edges);
  std::vector<Arc> arcs(first.back());
  std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
  for (const WeightedEdge& edge : edges) {
    arcs[next[edge.a]++] = {edge.b, edge.weight};
    arcs[next[edge.b]++] = {edge.a, edge.weight};
  }

  Rows rows;
  auto& stored = rows.m_forward;
  stored.m_rowstart.assign(std::size_t{vertices} + 1, 0);
  stored.m_column.reserve(arcs.size());
  stored.m_edge_properties.reserve(arcs.size());
  for (std::size_t v = 0; v < vertices; ++v) {
    const auto row = std::span(arcs).subspan(first[v], first[v + 1] - first[v]);
    for (const Arc& arc : row.first(merge_row(row))) {
      stored.m_column.push_back(arc.to);
      stored.m_edge_properties.push_back(arc.weight);
    }
    stored.m_rowstart[v + 1] = stored.m_column.size();
  }
  return rows;
}

}  // namespace

struct CommGraph::Storage {
  Rows rows;
  std::uint64_t total_weight = 0;
};

CommGraph::CommGraph(std::uint32_t vertices) : CommGraph(vertices, {}) {}

CommGraph::CommGraph(std::uint32_t vertices, std::vector<WeightedEdge> edges) {
  check(vertices, edges);
  drop_what_weighs_nothing(edges);
  const std::uint64_t total = checked_total(edges);
  storage_ = std::make_shared<const Storage>(Storage{rows_of(vertices, edges), total});
}

std::uint64_t CommGraph::total_weight() const {
  return storage_->total_weight;
}

GraphView CommGraph::view() const {
  const auto& stored = storage_->rows.m_forward;
  return {stored.m_rowstart, stored.m_column, stored.m_edge_properties};
}

CommGraph comm_graph_of(const Profile& profile, Weight weight) {
  std::vector<WeightedEdge> edges;
  for_each_counted(profile, [&](const PairTraffic& pair) {
    edges.push_back({pair.a, pair.b, weight == Weight::kBytes ? pair.bytes : pair.messages});
  });
  return {profile.ranks, std::move(edges)};
}

}  // namespace huddle
