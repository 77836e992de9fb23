#pragma once

// Schedule of training programs: on which patterns they run, on how many nodes, and for how long.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"
#include "commgraph/topology/node_topology.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::operations {

/// One pattern that training programs are run on.
struct TrainingPattern {
  predict::Pattern pattern;
  /// Nodes that are full but for the cores that the pattern leaves free.
  std::uint32_t nodes = 1;
  /// nodes x pattern.ranks_per_node().
  std::uint32_t ranks = 1;

  friend bool operator==(const TrainingPattern&, const TrainingPattern&) = default;
};

/// At most `most` (2 or more) patterns of a node, the most informative ones first: one core, all
/// cores (in a node of PUs: all PUs, and one of each core), a full die, one core of each die, then
/// always the one that is farthest from those already
/// there (by the logs of its numbers). So a training that stops early has the best part.
std::vector<predict::Pattern> informative_patterns(const commgraph::NodeTopology& node,
                                                   std::size_t most);

/// With how many ranks to run on each pattern: as many as a full node has cores, on as many nodes
/// as that takes, if there are so many; else on all that there are. `nodes` is 1 or more.
std::vector<TrainingPattern> place_training(const std::vector<predict::Pattern>& patterns,
                                            const commgraph::NodeTopology& node,
                                            std::uint32_t nodes);

/// Returns the time that each of `runs` runs may compute so that all take about `budget`, when some
/// take longer than others and each needs some time to start and to end. From 0.2 s to 10 s.
Seconds seconds_of_a_run(Seconds budget, std::size_t runs);

}  // namespace huddle::operations
