#pragma once

#include <cstdint>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle {

/// The mapping that Scotch finds on the tree ("tleaf") of the hierarchy with its default strategy.
/// A core may get several vertices, or none: Scotch treats balance as a wish. It is given one
/// thread unless SCOTCH_PTHREAD_NUMBER says otherwise in the environment, which this function sets:
/// with several it is slower on graphs of this size, and its result changes from run to run. Throws
/// UsageError if the hierarchy has another number of cores than the graph has vertices (Scotch
/// would spread them over all of it), and Error if Scotch fails or is not there.
std::vector<std::uint32_t> scotch_mapping(const commgraph::CommGraph& graph,
                                          const commgraph::Hierarchy& hierarchy,
                                          std::uint64_t seed);

}  // namespace huddle
