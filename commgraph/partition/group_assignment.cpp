#include "commgraph/partition/group_assignment.hpp"

namespace huddle::commgraph {

GroupAssignment::GroupAssignment(std::span<const std::uint32_t> group_of,
                                 std::span<const std::uint32_t> sizes)
    : group_of_(group_of.begin(), group_of.end()),
      seat_of_(group_of.size()),
      vertex_on_(group_of.size()) {
  first_seat_.reserve(sizes.size() + 1);
  first_seat_.push_back(0);
  for (const std::uint32_t size : sizes) first_seat_.push_back(first_seat_.back() + size);
  std::vector<std::uint32_t> next(first_seat_.begin(), first_seat_.end() - 1);
  for (Vertex v = 0; v < group_of_.size(); ++v) {
    seat_of_[v] = next[group_of_[v]]++;
    vertex_on_[seat_of_[v]] = v;
  }
}

}  // namespace huddle::commgraph
