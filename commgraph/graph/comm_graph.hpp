#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::commgraph {

/// A vertex of a communication graph, 0-based: the rank of the same number where the graph comes
/// from a profile. (Not every graph does, hence not `Rank`.)
using Vertex = std::uint32_t;

/// The quantity that an edge weighs.
enum class Weight : std::uint8_t { kBytes, kMessages };

/// An edge of an undirected graph.
struct WeightedEdge {
  Vertex a = 0;
  Vertex b = 0;
  std::uint64_t weight = 0;
};

/// A weighted undirected graph in compressed rows: vertex v's neighbours are
/// neighbours[first[v]] to neighbours[first[v + 1] - 1], ascending, and weights[] runs alongside.
/// Every edge is there twice, once for either end, with the same weight; no self-loops, no parallel
/// edges. It owns nothing: what it views must outlive it.
struct GraphView {
  /// Vertices + 1 offsets.
  std::span<const std::uint64_t> first;
  std::span<const Vertex> neighbours;
  std::span<const std::uint64_t> weights;

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(first.size() - 1);
  }
  /// Twice the number of edges.
  [[nodiscard]] std::uint64_t arcs() const { return neighbours.size(); }
  [[nodiscard]] std::span<const Vertex> neighbours_of(Vertex v) const {
    return neighbours.subspan(first[v], first[v + 1] - first[v]);
  }
  /// Parallel to neighbours_of(v).
  [[nodiscard]] std::span<const std::uint64_t> weights_of(Vertex v) const {
    return weights.subspan(first[v], first[v + 1] - first[v]);
  }
};

/// Who talks to whom, and how much: an undirected graph of at most 2^32 - 1 vertices whose edge
/// weights are positive and sum, counted once for either end, to less than 2^64. Immutable; copies
/// are cheap and share the storage, and any number of threads may read one.
class CommGraph {
 public:
  /// `vertices` vertices and no edge.
  explicit CommGraph(std::uint32_t vertices = 0);
  /// Parallel edges (in either direction) are added up; self-loops and edges of weight 0 are
  /// dropped. Throws Error if an end is not below `vertices` or the weights overflow.
  CommGraph(std::uint32_t vertices, std::vector<WeightedEdge> edges);

  [[nodiscard]] std::uint32_t vertices() const { return view().vertices(); }
  /// Each pair once.
  [[nodiscard]] std::uint64_t edges() const { return view().arcs() / 2; }
  /// The sum of the weights, each edge once.
  [[nodiscard]] std::uint64_t total_weight() const;
  /// Valid as long as this graph or a copy of it lives.
  [[nodiscard]] GraphView view() const;

 private:
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

/// Who talks to whom in a profile, as it was counted: edge {i, j} weighs what went from i to j plus
/// what went from j to i, over all size classes: point-to-point messages, what neighbourhood
/// collectives carried, and what one-sided calls wrote or fetched (one call counts as a message).
/// What a rank sent to itself is left out, and so are the other collectives (how they travel is the
/// MPI library's choice; mapping_graph.hpp has an estimate). A rank without a record is an isolated
/// vertex if nobody sent to it. Throws Error if the weights overflow.
CommGraph comm_graph_of(const Profile& profile, Weight weight);

/// Traffic between two vertices, both ways together.
struct PairTraffic {
  Vertex a = 0;
  Vertex b = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const PairTraffic&, const PairTraffic&) = default;
};

/// Visits what a profile counted between pairs of ranks, as PairTraffic: point-to-point messages,
/// what neighbourhood collectives carried, and what one-sided calls wrote or fetched (one call
/// counts as a message). Once for each receiver and size class of a rank, in the order of the
/// records, so a pair may come up often; a rank with itself, too.
template <class Visit>
void for_each_counted(const Profile& profile, const Visit& visit) {
  for (const RankRecord& record : profile.rank_records)
    // The direction of `fetched` does not matter: pairs have none.
    for (const auto* cells :
         {&record.sent, &record.sent_to_neighbours, &record.put, &record.fetched})
      for (const SentMessages& cell : *cells)
        visit(PairTraffic{record.rank.value, cell.receiver.value, cell.messages, cell.bytes.value});
}

/// `traffic` with each pair once, a < b, ascending by a, then b; what a vertex sends to itself is
/// dropped. Throws Error if a sum is 2^64 or more.
std::vector<PairTraffic> added_up(std::vector<PairTraffic> traffic);

}  // namespace huddle::commgraph
