#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle::balancing {

/// A piece of work that can be moved: a chare of Charm++, a row of a table of loads.
struct WorkObject {
  /// At the top clock, on a processor of speed 1.
  Seconds time;
  /// Where it is now, below the number of processors.
  std::uint32_t processor = 0;
  /// Else it stays where it is.
  bool movable = true;
};

/// Where objects can be.
struct WorkProcessor {
  /// The time of its other work, at the top clock and its own speed.
  Seconds background;
  /// The factor by which it is faster than a processor of speed 1; above 0.
  double speed = 1;
  /// Else it gets no object, and those that can be moved leave it.
  bool available = true;
};

/// The cost of the communication of two objects to each of them while they are on different
/// processors.
struct WorkLink {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  /// The cost at each end.
  Seconds time;
};

/// The processor of each object, as a time balancer decides it.
using WorkPlacement = std::vector<std::uint32_t>;

/// The load of each processor with this placement, communication and background included. Throws
/// Error if an object is placed on no processor, or a link names no object.
std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement,
                              std::span<const WorkProcessor> processors);
/// The same for so many processors that are all alike, available, and do nothing besides.
std::vector<Seconds> loads_of(std::span<const WorkObject> objects, std::span<const WorkLink> links,
                              const WorkPlacement& placement, std::uint32_t processors);

/// As GreedyLB and, with links, GreedyCommLB: the longest object first, each to the processor that
/// then has least to do; where several have, where it is. It may move any number of objects. O(n
/// log n + n P) with links or different speeds, else O(n log n). Throws Error if no processor is
/// available, or an object is on none.
WorkPlacement greedy_placement(std::span<const WorkObject> objects,
                               std::span<const WorkProcessor> processors,
                               std::span<const WorkLink> links = {});
WorkPlacement greedy_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                               std::span<const WorkLink> links = {});

/// As RefineLB and, with links, RefineCommLB: moves as few objects as it can, from processors that
/// have more to do than `tolerance` times the mean to those that have least. What it returns is
/// never longer than what is, unless objects had to leave a processor that is not available.
/// `tolerance` is 1 or more. Throws Error as greedy_placement() does.
WorkPlacement refined_placement(std::span<const WorkObject> objects,
                                std::span<const WorkProcessor> processors, double tolerance = 1.03,
                                std::span<const WorkLink> links = {});
WorkPlacement refined_placement(std::span<const WorkObject> objects, std::uint32_t processors,
                                double tolerance = 1.03, std::span<const WorkLink> links = {});

/// The number of objects that are not where they were.
std::uint32_t moved_objects(std::span<const WorkObject> objects, const WorkPlacement& placement);

}  // namespace huddle::balancing
