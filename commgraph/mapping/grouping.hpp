#pragma once

// Internal to commgraph/mapping: one level of the hierarchy.

#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/mapping/search_control.hpp"
#include "commgraph/mapping/work_graph.hpp"

namespace huddle {

/// Splits the vertices into groups of exactly sizes[0], sizes[1], ... so that little weight joins
/// different groups: groups grown in several ways, METIS where groups are large, and `given`; the
/// best of them annealed, and again whatever is best. `given` is a grouping of these sizes to start
/// from (the natural order). Deterministic, unless
/// stopped.
std::vector<std::uint32_t> find_groups(const WorkGraph& graph, std::span<const std::uint32_t> sizes,
                                       const std::vector<std::uint32_t>& given,
                                       const SearchControl& control);

}  // namespace huddle
