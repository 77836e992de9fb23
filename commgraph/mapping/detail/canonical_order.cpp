#include "commgraph/mapping/detail/canonical_order.hpp"

#include <algorithm>
#include <span>

#include "commgraph/mapping/detail/work_graph.hpp"

namespace huddle::commgraph {
namespace {

// Some cores of the machine: kNoVertex where there is none.
using Cores = std::span<Vertex>;

std::uint32_t held(Cores cores) {
  return static_cast<std::uint32_t>(
      std::count_if(cores.begin(), cores.end(), [](Vertex v) { return v != kNoVertex; }));
}

// Puts the members of one group, `size` cores each, into order: among those that hold as many, the
// one with the lowest vertex first.
void order_members(Cores group, std::uint32_t size) {
  struct Member {
    std::uint32_t held;
    Vertex lowest;
    std::uint32_t place;
  };
  std::vector<Member> members;
  for (std::uint32_t place = 0; place * size < group.size(); ++place) {
    const Cores cores = group.subspan(place * size, size);
    // Without a vertex it is kNoVertex, which is the largest number.
    members.push_back({held(cores), *std::min_element(cores.begin(), cores.end()), place});
  }
  const std::vector<Vertex> before(group.begin(), group.end());
  std::vector<Member> ordered = members;
  std::sort(ordered.begin(), ordered.end(), [](const Member& a, const Member& b) {
    return a.held != b.held ? a.held < b.held : a.lowest < b.lowest;
  });
  // Places that held as many keep holding as many.
  std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return a.held != b.held ? a.held < b.held : a.place < b.place;
  });
  for (std::size_t i = 0; i < members.size(); ++i)
    std::copy_n(before.begin() + std::ptrdiff_t{ordered[i].place} * size, size,
                group.begin() + std::ptrdiff_t{members[i].place} * size);
}

}  // namespace

std::vector<std::uint32_t> in_canonical_order(const Hierarchy& hierarchy,
                                              const std::vector<std::uint32_t>& core_of) {
  std::vector<Vertex> vertex_on(hierarchy.cores(), kNoVertex);
  for (Vertex v = 0; v < core_of.size(); ++v) vertex_on[core_of[v]] = v;
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    const std::uint32_t size = hierarchy.group_size(level);
    const std::uint32_t member = level == 0 ? 1 : hierarchy.group_size(level - 1);
    for (std::size_t first = 0; first < vertex_on.size(); first += size)
      order_members(Cores(vertex_on).subspan(first, size), member);
  }
  std::vector<std::uint32_t> result(core_of.size());
  for (std::uint32_t core = 0; core < vertex_on.size(); ++core)
    if (vertex_on[core] != kNoVertex) result[vertex_on[core]] = core;
  return result;
}

}  // namespace huddle::commgraph
