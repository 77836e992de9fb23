#include "commgraph/partition/subgraph.hpp"

namespace huddle {

std::vector<Subgraph> subgraphs(const GraphView& graph, std::span<const std::uint32_t> part_of,
                                std::uint32_t parts) {
  std::vector<Subgraph> pieces(parts);
  std::vector<Vertex> number_in_part(graph.vertices());
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    std::vector<Vertex>& original = pieces[part_of[v]].original;
    number_in_part[v] = static_cast<Vertex>(original.size());
    original.push_back(v);
  }
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    Subgraph& piece = pieces[part_of[v]];
    const auto neighbours = graph.neighbours_of(v);
    const auto weights = graph.weights_of(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (part_of[neighbours[i]] != part_of[v]) continue;
      piece.neighbours.push_back(number_in_part[neighbours[i]]);
      piece.weights.push_back(weights[i]);
    }
    piece.first.push_back(piece.neighbours.size());
  }
  return pieces;
}

}  // namespace huddle
