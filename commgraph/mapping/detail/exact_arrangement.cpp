#include "commgraph/mapping/detail/exact_arrangement.hpp"

#include <bit>
#include <limits>

namespace huddle::commgraph {

std::vector<std::uint32_t> ExactArrangement::arrange(const WorkGraph& graph, std::size_t level) {
  const std::uint32_t vertices = graph.vertices();
  if (width_ != vertices || ++stamp_ == 0) {
    width_ = vertices;
    stamp_ = 1;
    table_.assign(hierarchy_.levels() << width_, {});
    inside_.assign(std::size_t{1} << width_, 0);
  }
  // A subset without its highest vertex is known already.
  for (Vertex v = 0; v < vertices; ++v) {
    const Subset alone = Subset{1} << v;
    for (Subset below = 0; below < alone; ++below) inside_[alone | below] = inside_[below];
    for (const Arc& arc : graph.arcs_of(v)) {
      if (arc.to >= v) continue;
      for (Subset below = 0; below < alone; ++below)
        if ((below >> arc.to & 1U) != 0) inside_[alone | below] += static_cast<double>(arc.weight);
    }
  }
  std::vector<std::uint32_t> core_of(vertices);
  place(level, (Subset{1} << vertices) - 1, 0, core_of);
  return core_of;
}

double ExactArrangement::least_cost(std::size_t level, Subset vertices) {
  const auto count = static_cast<std::uint32_t>(std::popcount(vertices));
  while (level > 0 && count <= part_size(level)) --level;
  if (level == 0)
    return count <= 1 ? 0 : inside_[vertices] * static_cast<double>(hierarchy_.distances()[0]);
  Entry& best = entry(level, vertices);
  if (best.stamp == stamp_) return best.cost;
  best = {std::numeric_limits<double>::max(), 0, stamp_};

  const std::uint32_t size = part_size(level);
  const std::uint32_t part = count % size == 0 ? size : count % size;
  // Parts of equal size are alike, so the lowest vertex may as well be in the first of them.
  const Subset fixed = part == size ? vertices & (~vertices + 1) : 0;
  const Subset free = vertices & ~fixed;
  // All subsets of `free`, from the largest number down.
  for (Subset chosen = free;; chosen = (chosen - 1) & free) {
    if (std::popcount(chosen | fixed) == static_cast<int>(part))
      try_split(level, vertices, chosen | fixed, best);
    if (chosen == 0) break;
  }
  return best.cost;
}

void ExactArrangement::try_split(std::size_t level, Subset vertices, Subset part, Entry& best) {
  const Subset rest = vertices & ~part;
  const double apart = inside_[vertices] - inside_[part] - inside_[rest];
  const double cost = apart * static_cast<double>(hierarchy_.distances()[level]) +
                      least_cost(level - 1, part) + least_cost(level, rest);
  if (cost >= best.cost) return;
  best.cost = cost;
  best.first_part = part;
}

void ExactArrangement::place(std::size_t level, Subset vertices, std::uint32_t first_core,
                             std::vector<std::uint32_t>& core_of) {
  const auto count = static_cast<std::uint32_t>(std::popcount(vertices));
  while (level > 0 && count <= part_size(level)) --level;
  if (level == 0) {
    for (Subset left = vertices; left != 0; left &= left - 1)
      core_of[static_cast<std::size_t>(std::countr_zero(left))] = first_core++;
    return;
  }
  least_cost(level, vertices);
  const Subset part = entry(level, vertices).first_part;
  const std::uint32_t size = part_size(level);
  // The part that is not full was split off first; it belongs at the end.
  const auto held = static_cast<std::uint32_t>(std::popcount(part));
  const std::uint32_t part_core = held == size ? first_core : first_core + count - held;
  const std::uint32_t rest_core = held == size ? first_core + size : first_core;
  place(level - 1, part, part_core, core_of);
  if (part != vertices) place(level, vertices & ~part, rest_core, core_of);
}

}  // namespace huddle::commgraph
