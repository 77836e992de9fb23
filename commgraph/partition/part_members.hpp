#pragma once

// Internal to commgraph/partition.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// Which vertices each part holds, while vertices swap parts. Keeps `part_of`, which must outlive
/// it, up to date.
class PartMembers {
 public:
  PartMembers(std::uint32_t parts, std::vector<std::uint32_t>& part_of)
      : part_of_(part_of),
        first_(std::size_t{parts} + 1, 0),
        members_(part_of.size()),
        place_(part_of.size()) {
    for (const std::uint32_t part : part_of) ++first_[std::size_t{part} + 1];
    for (std::size_t part = 0; part < parts; ++part) first_[part + 1] += first_[part];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (Vertex v = 0; v < part_of.size(); ++v) {
      place_[v] = next[part_of[v]]++;
      members_[place_[v]] = v;
    }
  }

  [[nodiscard]] std::uint32_t parts() const {
    return static_cast<std::uint32_t>(first_.size() - 1);
  }
  [[nodiscard]] std::uint32_t part_of(Vertex v) const { return part_of_[v]; }
  [[nodiscard]] std::span<const Vertex> of(std::uint32_t part) const {
    return std::span(members_).subspan(first_[part], first_[part + 1] - first_[part]);
  }

  void swap(Vertex a, Vertex b) {
    std::swap(part_of_[a], part_of_[b]);
    std::swap(place_[a], place_[b]);
    members_[place_[a]] = a;
    members_[place_[b]] = b;
  }

 private:
  std::vector<std::uint32_t>& part_of_;
  std::vector<std::uint32_t> first_;
  std::vector<Vertex> members_;
  std::vector<std::uint32_t> place_;
};

}  // namespace huddle
