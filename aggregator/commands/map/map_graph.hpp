#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "commgraph/graph/mapping_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// Where `huddle map` takes its graph from.
struct GraphInput {
  std::string graph;
  std::string weight;  // empty: not given
  std::string machine;
  bool no_collectives = false;
};

void add_graph_options(CLI::App& command, GraphInput& input);

/// Whether the name is that of a profile; anything else is taken for a METIS graph file.
bool is_profile(const std::string& file);

/// Reads the graph and tells on standard error what is missing from it. Throws UsageError if the
/// options contradict each other, and what the readers throw.
CommGraph read_graph(const GraphInput& input, const Hierarchy& hierarchy);

}  // namespace huddle
