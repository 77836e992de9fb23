#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// The input of an engine.
struct MappingTask {
  commgraph::CommGraph graph;
  commgraph::Hierarchy hierarchy;
  std::uint64_t seed = 1;
  /// For the engine that uses several.
  unsigned threads = 2;
};

/// One way to map, as the table shows it.
struct MappingEngine {
  /// The name that users type.
  std::string_view name;
  /// Over its column.
  std::string_view heading;
  /// True if it maps the graph in its natural order rather than shuffled.
  bool natural = false;
  /// True if it promises one vertex a core.
  bool exact = true;
  /// Graphs of fewer vertices are left out unless the engine is asked for by name.
  std::uint32_t least_vertices = 0;
  std::vector<std::uint32_t> (*map)(const MappingTask& task) = nullptr;
};

/// All there are, in the order of the table.
std::span<const MappingEngine> mapping_engines();

/// Throws UsageError that lists what exists.
const MappingEngine& mapping_engine_named(std::string_view name);

/// The number of runs of METIS that `best-of` makes on a graph of that size.
unsigned best_of_runs(std::uint32_t vertices);

}  // namespace huddle
