#pragma once

// One level of the hierarchical mapping: splits vertices into groups of given sizes.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "commgraph/mapping/detail/work_graph.hpp"

namespace huddle::commgraph {

/// The settings that all searches of one mapping share.
struct SearchControl {
  std::uint64_t seed = 1;
  /// True if a mapping nearly as good will do in a quarter of the time.
  bool quick = false;
  /// Changes the time, never the result.
  unsigned threads = 1;
  /// Called now and then, from any thread; once it returns true, the best so far is returned.
  std::function<bool()> stop = [] { return false; };
  /// Called with what begins, by the thread that called the search.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

/// Splits the vertices into groups of exactly sizes[0], sizes[1], ... so that little weight joins
/// different groups: groups grown in several ways, METIS where groups are large, and `given`; the
/// best of them annealed, and again whatever is best. `given` is a grouping of these sizes to start
/// from (the natural order). Deterministic, unless
/// stopped.
std::vector<std::uint32_t> find_groups(const WorkGraph& graph, std::span<const std::uint32_t> sizes,
                                       const std::vector<std::uint32_t>& given,
                                       const SearchControl& control);

}  // namespace huddle::commgraph
