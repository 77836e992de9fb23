#include "commgraph/mapping/recursive_mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "commgraph/partition/exact_partition.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {

std::vector<NodeShare> node_shares(const Hierarchy& hierarchy,
                                   std::span<const std::uint32_t> node_sizes,
                                   std::uint32_t vertices) {
  const std::uint32_t cores = hierarchy.cores_per_node();
  if (!node_sizes.empty() && node_sizes.size() != hierarchy.nodes())
    throw UsageError(fmt::format("sizes are given for {} nodes, but the hierarchy has {}",
                                 node_sizes.size(), hierarchy.nodes()));
  std::vector<NodeShare> shares;
  std::uint32_t left = vertices;
  for (std::uint32_t node = 0; node < hierarchy.nodes(); ++node) {
    const std::uint32_t size = node_sizes.empty() ? cores : node_sizes[node];
    if (size > cores)
      throw UsageError(
          fmt::format("node {} is to use {} cores, but it has only {}", node, size, cores));
    const std::uint32_t taken = std::min(size, left);
    if (taken > 0) shares.push_back({node * cores, taken});
    left -= taken;
  }
  if (left > 0)
    throw UsageError(fmt::format("{} ranks don't fit on the {} cores that the nodes may use",
                                 vertices, vertices - left));
  return shares;
}

namespace {

class Descent {
 public:
  Descent(const Hierarchy& hierarchy, const Splitter& split, std::uint32_t vertices)
      : hierarchy_(hierarchy), split_(split), core_of_(vertices) {}

  void place_on_nodes(const GraphView& graph, std::span<const Vertex> original,
                      std::span<const NodeShare> shares) {
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> first_cores;
    for (const NodeShare& share : shares) {
      sizes.push_back(share.vertices);
      first_cores.push_back(share.first_core);
    }
    place_parts(graph, original, hierarchy_.levels() - 1, sizes, first_cores);
  }

  std::vector<std::uint32_t> take() { return std::move(core_of_); }

 private:
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
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> first_cores;
    for (std::uint32_t held = 0; held < graph.vertices(); held += member) {
      sizes.push_back(std::min(member, graph.vertices() - held));
      first_cores.push_back(first_core + held);
    }
    place_parts(graph, original, levels - 1, sizes, first_cores);
  }

  // Splits `graph` among members of `levels` levels each.
  void place_parts(const GraphView& graph, std::span<const Vertex> original, std::size_t levels,
                   std::span<const std::uint32_t> sizes,
                   std::span<const std::uint32_t> first_cores) {
    if (sizes.size() == 1) return place(graph, original, levels, first_cores[0]);
    const std::vector<std::uint32_t> part_of = split_(graph, sizes);
    std::vector<Subgraph> pieces =
        subgraphs(graph, part_of, static_cast<std::uint32_t>(sizes.size()));
    for (std::size_t part = 0; part < sizes.size(); ++part) {
      Subgraph piece = std::move(pieces[part]);
      for (Vertex& v : piece.original) v = original[v];
      place(piece.view(), piece.original, levels, first_cores[part]);
    }
  }

  const Hierarchy& hierarchy_;
  const Splitter& split_;
  std::vector<std::uint32_t> core_of_;
};

}  // namespace

std::vector<std::uint32_t> map_recursively(const GraphView& graph, const Hierarchy& hierarchy,
                                           std::span<const NodeShare> shares,
                                           const Splitter& split) {
  if (shares.empty()) return {};
  std::vector<Vertex> original(graph.vertices());
  std::iota(original.begin(), original.end(), 0U);
  Descent descent(hierarchy, split, graph.vertices());
  descent.place_on_nodes(graph, original, shares);
  return descent.take();
}

}  // namespace huddle::commgraph
