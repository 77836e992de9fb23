#include "commgraph/partition/exact_partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "commgraph/partition/detail/metis_partition.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::commgraph {
namespace {

// Below this, trying every bisection costs less than a call of METIS: at most 924 of them.
constexpr std::uint32_t kTryAll = 12;

using Halves = std::uint32_t;  // bit v: vertex v is in the first half
using Matrix = std::array<std::array<std::uint64_t, kTryAll>, kTryAll>;

Matrix dense(const GraphView& graph) {
  Matrix matrix{};
  for (Vertex v = 0; v < graph.vertices(); ++v)
    for (std::size_t i = 0; i < graph.neighbours_of(v).size(); ++i)
      matrix[v][graph.neighbours_of(v)[i]] = graph.weights_of(v)[i];
  return matrix;
}

std::uint64_t cut(const Matrix& matrix, Halves halves, std::uint32_t vertices) {
  std::uint64_t sum = 0;
  for (Vertex v = 0; v < vertices; ++v)
    for (Vertex u = v + 1; u < vertices; ++u)
      if (((halves >> v) & 1U) != ((halves >> u) & 1U)) sum += matrix[v][u];
  return sum;
}

// The next larger number with as many bits set (Gosper's hack).
Halves next_with_as_many_bits(Halves halves) {
  const Halves lowest = halves & (~halves + 1);
  const Halves carried = halves + lowest;
  return carried | (((halves ^ carried) / lowest) >> 2U);
}

std::vector<std::uint32_t> best_bisection(const GraphView& graph, std::uint32_t first_size) {
  const std::uint32_t vertices = graph.vertices();
  const Matrix matrix = dense(graph);
  Halves best = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (Halves halves = (1U << first_size) - 1; halves < (1U << vertices);
       halves = next_with_as_many_bits(halves)) {
    const std::uint64_t crossing = cut(matrix, halves, vertices);
    if (crossing >= least) continue;
    least = crossing;
    best = halves;
  }
  std::vector<std::uint32_t> part_of(vertices);
  for (Vertex v = 0; v < vertices; ++v) part_of[v] = ((best >> v) & 1U) != 0 ? 0 : 1;
  return part_of;
}

std::vector<std::uint32_t> in_order(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> part_of;
  for (std::uint32_t part = 0; part < sizes.size(); ++part)
    part_of.insert(part_of.end(), sizes[part], part);
  return part_of;
}

// Precondition: no size is 0.
std::vector<std::uint32_t> partition_nonempty(const GraphView& graph,
                                              std::span<const std::uint32_t> sizes,
                                              const SplitOptions& options) {
  // METIS misbehaves on a single part and on a graph without edges, and where every part is one
  // vertex there is nothing to choose.
  if (sizes.size() < 2 || graph.arcs() == 0 || sizes.size() == graph.vertices())
    return in_order(sizes);
  if (sizes.size() == 2 && graph.vertices() <= kTryAll) return best_bisection(graph, sizes[0]);
  std::vector<std::uint32_t> part_of = metis_partition(graph, sizes, options);
  repair_balance(graph, sizes, part_of);
  return part_of;
}

}  // namespace

std::vector<std::uint32_t> partition_exactly(const GraphView& graph,
                                             std::span<const std::uint32_t> sizes,
                                             const SplitOptions& options) {
  const std::uint64_t room = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  if (room != graph.vertices())
    throw Error(fmt::format("the parts hold {} vertices together, but the graph has {}", room,
                            graph.vertices()));
  std::vector<std::uint32_t> used;  // the parts that hold something
  std::vector<std::uint32_t> used_sizes;
  for (std::uint32_t part = 0; part < sizes.size(); ++part) {
    if (sizes[part] == 0) continue;
    used.push_back(part);
    used_sizes.push_back(sizes[part]);
  }
  std::vector<std::uint32_t> part_of = partition_nonempty(graph, used_sizes, options);
  for (std::uint32_t& part : part_of) part = used[part];
  return part_of;
}

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

}  // namespace huddle::commgraph
