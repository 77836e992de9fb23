#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle::commgraph {

/// The group that each vertex is in, and its place there: group g owns the seats first_seat[g] to
/// first_seat[g + 1] - 1, all taken. Vertices change places by swapping, so that sizes stay.
class GroupAssignment {
 public:
  /// `group_of[v]` < sizes.size(), and sizes[g] vertices are in group g. Seats are given in the
  /// order of the vertices.
  GroupAssignment(std::span<const std::uint32_t> group_of, std::span<const std::uint32_t> sizes);

  [[nodiscard]] std::uint32_t groups() const {
    return static_cast<std::uint32_t>(first_seat_.size() - 1);
  }
  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(group_of_.size());
  }
  [[nodiscard]] std::uint32_t size_of(std::uint32_t group) const {
    return first_seat_[group + 1] - first_seat_[group];
  }
  /// Several threads may swap vertices of different ranges of groups. What one reads here of
  /// another's vertex is one of the other's groups, whichever: enough to see that it is elsewhere.
  [[nodiscard]] std::uint32_t group_of(Vertex v) const {
    return std::atomic_ref(const_cast<std::uint32_t&>(group_of_[v]))  // NOLINT: only loads
        .load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::span<const Vertex> members(std::uint32_t group) const {
    return std::span(vertex_on_).subspan(first_seat_[group], size_of(group));
  }
  [[nodiscard]] std::span<const std::uint32_t> all_groups() const { return group_of_; }

  void swap(Vertex v, Vertex w) {
    std::swap(seat_of_[v], seat_of_[w]);
    vertex_on_[seat_of_[v]] = v;
    vertex_on_[seat_of_[w]] = w;
    const std::uint32_t group = group_of(v);
    std::atomic_ref(group_of_[v]).store(group_of(w), std::memory_order_relaxed);
    std::atomic_ref(group_of_[w]).store(group, std::memory_order_relaxed);
  }

 private:
  std::vector<std::uint32_t> first_seat_;
  std::vector<std::uint32_t> group_of_;
  std::vector<std::uint32_t> seat_of_;
  std::vector<Vertex> vertex_on_;
};

}  // namespace huddle::commgraph
