#include "commgraph/mapping/recursive_mapping.hpp"

#include <algorithm>

#include "commgraph/partition/subgraph.hpp"

namespace huddle {
namespace {

class Descent {
 public:
  Descent(const Hierarchy& hierarchy, const Splitter& split, std::uint32_t vertices)
      : hierarchy_(hierarchy), split_(split), core_of_(vertices) {}

  // Maps `graph`, whose vertex v is original[v] of the whole, to the cores from `first_core` on.
  // They belong to one group of level `levels` - 1; without levels it is a core.
  void place(const GraphView& graph, std::span<const Vertex> original, std::size_t levels,
             std::uint32_t first_core) {
    // A group with a single member in use needs no split, and neither do bare cores.
    while (levels > 1 && graph.vertices() <= hierarchy_.group_size(levels - 2)) --levels;
    if (levels <= 1) {
      for (Vertex v = 0; v < graph.vertices(); ++v) core_of_[original[v]] = first_core + v;
      return;
    }
    const std::uint32_t member = hierarchy_.group_size(levels - 2);
    const std::vector<std::uint32_t> sizes = sizes_of_members(graph.vertices(), member);
    const std::vector<std::uint32_t> part_of = split_(graph, sizes);
    const auto parts = static_cast<std::uint32_t>(sizes.size());
    std::vector<Subgraph> pieces = subgraphs(graph, part_of, parts);
    for (std::uint32_t part = 0; part < parts; ++part) {
      Subgraph piece = std::move(pieces[part]);
      for (Vertex& v : piece.original) v = original[v];
      place(piece.view(), piece.original, levels - 1, first_core + part * member);
    }
  }

  std::vector<std::uint32_t> take() { return std::move(core_of_); }

 private:
  static std::vector<std::uint32_t> sizes_of_members(std::uint32_t vertices, std::uint32_t member) {
    std::vector<std::uint32_t> sizes(vertices / member, member);
    if (vertices % member != 0) sizes.push_back(vertices % member);
    return sizes;
  }

  const Hierarchy& hierarchy_;
  const Splitter& split_;
  std::vector<std::uint32_t> core_of_;
};

}  // namespace

std::vector<std::uint32_t> map_recursively(const GraphView& graph, const Hierarchy& hierarchy,
                                           const Splitter& split) {
  std::vector<Vertex> original(graph.vertices());
  for (Vertex v = 0; v < graph.vertices(); ++v) original[v] = v;
  Descent descent(hierarchy, split, graph.vertices());
  descent.place(graph, original, hierarchy.levels(), 0);
  return descent.take();
}

}  // namespace huddle
