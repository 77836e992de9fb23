#pragma once

// Refinement of a grouping by swaps of vertices: simulated annealing, then descent.

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "commgraph/mapping/detail/work_graph.hpp"
#include "commgraph/partition/group_assignment.hpp"

namespace huddle::commgraph {

struct AnnealingOptions {
  /// In mean weights of an arc; the temperature falls geometrically from first to last.
  double first_temperature = 1.0;
  double last_temperature = 0.1;
  /// Number of swaps that are proposed for each vertex.
  std::uint32_t sweeps = 300;
  std::uint64_t seed = 1;
  /// Changes the time, never the result.
  unsigned threads = 1;
};

/// Lowers the weight between groups by simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983):
/// a vertex may take the place of another in a group where it has a neighbour. What it returns to
/// is not kept: the result can be worse than the start if the first temperature is high. Large
/// graphs are worked on in ranges of groups, one after another or side by side; their borders move
/// from round to round. `stop` is asked between rounds; once it says true, what is there stays.
void anneal(const WorkGraph& graph, GroupAssignment& groups, const AnnealingOptions& options,
            const std::function<bool()>& stop);

/// Makes every swap that lowers the weight between groups, best first for each vertex, until none
/// does or `rounds` rounds are over.
void descend(const WorkGraph& graph, GroupAssignment& groups, std::uint32_t rounds,
             unsigned threads);

}  // namespace huddle::commgraph
