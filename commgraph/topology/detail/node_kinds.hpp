#pragma once

// Kinds of memory and of cores in a topology, as hwloc names them. A part of node_topology.cpp,
// which wraps hwloc.

#include <hwloc.h>

#include <string_view>
#include <vector>

#include "commgraph/topology/node_topology.hpp"

namespace huddle::commgraph {

/// A NUMA node, and the kind of its memory: empty for the ordinary one.
struct MemoryNode {
  hwloc_obj_t object = nullptr;
  std::string_view kind;
};

/// All NUMA nodes, by the system's numbers. Special is what hwloc names so (GPUMemory, HBM, NVM,
/// CXL, ...), or what has no name and shares its cores with a NUMA node before it. A node whose
/// only memory is HBM has it as the ordinary one.
std::vector<MemoryNode> memory_nodes(hwloc_topology_t topology);

/// Throws FormatError if cores are of several types, or of capacities or base frequencies that
/// differ by more than a tenth. Favoured cores, whose highest frequency alone is above that of
/// others, are like them.
void refuse_unlike_cores(hwloc_topology_t topology, std::string_view origin);

}  // namespace huddle::commgraph
