#pragma once

#include <cstdint>
#include <vector>

#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// Returns, of all mappings that differ only in which of several like groups is which, the one that
/// people expect: groups that hold as many vertices of the same parent are in the order of their
/// lowest vertices, so that vertex 0 is on the first of them. J stays as it is, and so do the cores
/// in use. Precondition: no core twice.
std::vector<std::uint32_t> in_canonical_order(const Hierarchy& hierarchy,
                                              const std::vector<std::uint32_t>& core_of);

}  // namespace huddle::commgraph
