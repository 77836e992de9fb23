#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// How a mapping is found.
enum class Engine : std::uint8_t {
  /// The best of identity and METIS, then pairs of ranks swap cores as long as that helps.
  kAuto,
  /// METIS, k-way and recursive and with several seeds, level by level from the nodes inwards; the
  /// best by J.
  kMetis,
  /// Vertex v on core v.
  kIdentity,
};

/// The word that users type: "auto", "metis" or "identity".
std::string_view name_of(Engine engine);

/// The opposite of name_of. Throws UsageError that lists what exists.
Engine engine_named(std::string_view name);

struct MappingOptions {
  Engine engine = Engine::kAuto;
  /// Another seed may give another mapping; the same seed gives the same.
  std::uint64_t seed = 1;
  /// How many threads may work, at least 1. It changes the time, never the mapping.
  unsigned threads = 1;
};

struct Mapping {
  /// By vertex; no core twice.
  std::vector<std::uint32_t> core_of;
  /// What made it: never kAuto, but the engine that auto found best.
  Engine engine = Engine::kIdentity;
};

/// Places the vertices on cores so that objective() is small, one vertex a core. The cores in use
/// are the first as many as there are vertices: so every node, package, die and core holds exactly
/// its share, the first nodes are full, and the last node used holds the rest, filled in order.
/// auto is never worse than identity. Deterministic.
///
/// Throws UsageError if there are more vertices than cores or `threads` is 0, and Error if the
/// graph is too large for METIS (about 2^28 edges). METIS is not made for threads: calls from
/// several threads wait for one another while in it, it reseeds the C library's rand(), and what
/// other threads print to C's stdout meanwhile is lost.
Mapping map_ranks(const CommGraph& graph, const Hierarchy& hierarchy,
                  const MappingOptions& options = {});

}  // namespace huddle
