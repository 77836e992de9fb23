#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::commgraph {

/// The way in which METIS splits: all parts at once, or by halves.
enum class SplitMethod : std::uint8_t { kKway, kRecursive };

struct SplitOptions {
  SplitMethod method = SplitMethod::kKway;
  /// Another seed may give another split; the same seed gives the same.
  std::uint64_t seed = 1;
  /// Thousandths of a part by which METIS may stray from the wanted sizes before the repair. More
  /// leaves it more freedom and the repair more work; on small parts k-way needs plenty.
  std::uint32_t slack_permille = 100;
};

/// Splits a graph so that part p holds exactly sizes[p] vertices and little weight crosses between
/// parts; returns the part of each vertex. Deterministic. `sizes` must sum to the number of
/// vertices (throws Error otherwise); a size of 0 is fine. Throws Error if METIS can't hold the
/// graph (about 2^29 arcs).
std::vector<std::uint32_t> partition_exactly(const GraphView& graph,
                                             std::span<const std::uint32_t> sizes,
                                             const SplitOptions& options);

/// Moves vertices between parts until part p holds exactly sizes[p], at little cost in edge weight
/// between parts: first, least loss first, from parts that hold too much to adjacent ones that hold
/// too little; then along chains of adjacent parts, each handing one vertex to the next; and what
/// no chain reaches, straight. Deterministic. Precondition: `sizes` sums to the number of vertices,
/// part_of[v] < sizes.size().
void repair_balance(const GraphView& graph, std::span<const std::uint32_t> sizes,
                    std::vector<std::uint32_t>& part_of);

/// Some vertices of a larger graph and the edges among them, renumbered from 0 in the same order.
struct Subgraph {
  std::vector<std::uint64_t> first{0};
  std::vector<Vertex> neighbours;
  std::vector<std::uint64_t> weights;
  /// The number of each vertex in the larger graph.
  std::vector<Vertex> original;

  [[nodiscard]] GraphView view() const { return {first, neighbours, weights}; }
};

/// Cuts `graph` into one subgraph for each of `parts` parts; `part_of[v]` < parts. Edges between
/// parts are gone.
std::vector<Subgraph> subgraphs(const GraphView& graph, std::span<const std::uint32_t> part_of,
                                std::uint32_t parts);

}  // namespace huddle::commgraph
