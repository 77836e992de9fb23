#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// The method that finds a mapping.
enum class Engine : std::uint8_t {
  /// The best that is known here: groups grown from below in several ways, and METIS where they are
  /// large, then simulated annealing, from the nodes inwards; small groups exactly. See
  /// docs/decisions/0011-mapping-engine.md.
  kAuto,
  /// The task grouping of the task aggregation paper (section IV): k-way Kernighan-Lin, first over
  /// nodes, then inside each.
  kKernighanLin,
  /// METIS, k-way and recursive and with several seeds, level by level from the nodes inwards; the
  /// best by J.
  kMetis,
  /// Vertex v on the v-th core.
  kIdentity,
};

/// The word that users type: "auto", "kl", "metis" or "identity".
std::string_view name_of(Engine engine);

/// The opposite of name_of. Throws UsageError that lists what exists.
Engine engine_named(std::string_view name);

struct MappingOptions {
  Engine engine = Engine::kAuto;
  /// Another seed may give another mapping; the same seed gives the same.
  std::uint64_t seed = 1;
  /// True if a mapping that is nearly as good will do, in about a quarter of the time: for
  /// comparing many patterns. For auto only.
  bool quick = false;
  /// The most threads that may work, at least 1. It changes the time, never the mapping.
  unsigned threads = 1;
  /// Number of cores of each node that may be used, its first ones; empty: all of every node. As
  /// many entries as the hierarchy has nodes, each at most its cores per node.
  std::vector<std::uint32_t> node_sizes;
  /// Called now and then, from any thread; once it returns true, auto and metis return the best
  /// they have. kl has nothing before its end, and does not call it.
  std::function<bool()> stop;
  /// Called with what auto begins to do with the whole graph: "growing groups", "annealing"...
  std::function<void(std::string_view)> progress;
};

struct Mapping {
  /// The core of each vertex; no core twice.
  std::vector<std::uint32_t> core_of;
  /// The engine that made it; identity if auto found nothing better.
  Engine engine = Engine::kIdentity;
};

/// Places the vertices on cores so that objective() is small, one vertex a core. The cores in use
/// are the first usable ones, as many as there are vertices: so every node, package, die and core
/// holds exactly its share, the first nodes are full, and the last node used holds the rest, filled
/// in order. Of groups that are alike the one with the lowest vertex comes first. auto is never
/// worse than identity. Deterministic, unless `stop` ends it.
///
/// Throws UsageError if there are more vertices than usable cores, `node_sizes` does not fit the
/// hierarchy, or `threads` is 0, and Error if the graph is too large for METIS (about 2^28 edges;
/// auto does not ask METIS then). METIS is not made for threads: calls from several threads wait
/// for one another while in it, it reseeds the C library's rand(), and what other threads print to
/// C's stdout meanwhile is lost.
Mapping map_ranks(const CommGraph& graph, const Hierarchy& hierarchy,
                  const MappingOptions& options = {});

}  // namespace huddle::commgraph
