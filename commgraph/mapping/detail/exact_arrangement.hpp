#pragma once

#include <cstdint>
#include <vector>

#include "commgraph/mapping/detail/work_graph.hpp"
#include "commgraph/topology/hierarchy.hpp"

namespace huddle::commgraph {

/// Finds the least sum of weight x distance for a few vertices by dynamic programming over their
/// subsets. Not for several threads at once: it keeps its tables from call to call.
class ExactArrangement {
 public:
  static constexpr std::uint32_t kMostVertices = 12;

  explicit ExactArrangement(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

  /// The core of each vertex within a group of `level` that holds them all, cores counted from the
  /// group's first; the first cores are used. Precondition: at most kMostVertices vertices, and no
  /// more than the group has cores.
  std::vector<std::uint32_t> arrange(const WorkGraph& graph, std::size_t level);

 private:
  using Subset = std::uint32_t;  // bit v: vertex v is in it

  struct Entry {
    double cost = 0;
    Subset first_part = 0;  // of the best split; the rest stays for the next one
    std::uint32_t stamp = 0;
  };

  double least_cost(std::size_t level, Subset vertices);
  void try_split(std::size_t level, Subset vertices, Subset part, Entry& best);
  void place(std::size_t level, Subset vertices, std::uint32_t first_core,
             std::vector<std::uint32_t>& core_of);
  [[nodiscard]] std::uint32_t part_size(std::size_t level) const {
    return level == 0 ? 1 : hierarchy_.group_size(level - 1);
  }
  Entry& entry(std::size_t level, Subset vertices) { return table_[(level << width_) | vertices]; }

  const Hierarchy& hierarchy_;
  std::uint32_t width_ = 0;
  std::vector<double> inside_;  // weight within each subset, each edge once
  std::vector<Entry> table_;
  std::uint32_t stamp_ = 0;
};

}  // namespace huddle::commgraph
