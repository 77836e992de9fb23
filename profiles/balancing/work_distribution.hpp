#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// A piece of work that can be moved: a chare of Charm++, a row of a table of loads.
struct WorkObject {
  /// At the top clock.
  Seconds time;
  /// Where it is now, below the number of processors.
  std::uint32_t processor = 0;
};

/// What two objects say to each other costs each of them while they are on different processors.
struct WorkLink {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// Of each end.
  Seconds time;
};

/// What time balancers decide: the processor of each object.
using WorkPlacement = std::vector<std::uint32_t>;

/// What each processor has to do with this placement, communication included. Throws Error if an
/// object is placed on no processor, or a link names no object.
std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement, std::uint32_t processors);

/// As GreedyLB and, with links, GreedyCommLB: the longest object first, each to the processor that
/// then has least to do; where several have, where it is. Nothing is said of how many move. O(n log
/// n + n P) with links, else O(n log n).
WorkPlacement greedy_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                               std::span<const WorkLink> links = {});

/// As RefineLB and, with links, RefineCommLB: moves as few objects as it can, from processors that
/// have more to do than `tolerance` times the mean to those that have least. What it returns is
/// never longer than what is. `tolerance` is 1 or more.
WorkPlacement refined_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                                double tolerance = 1.03, std::span<const WorkLink> links = {});

/// How many objects are not where they were.
std::uint32_t moved_objects(std::span<const WorkObject> objects, const WorkPlacement& placement);

}  // namespace huddle
