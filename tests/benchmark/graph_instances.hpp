#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "commgraph/graph/comm_graph.hpp"

namespace huddle {

/// Communication graphs of well-known shapes, for measuring mappers. Every function is
/// deterministic: the same arguments make the same graph. Vertices are numbered as a program would
/// number its ranks, which favours mappers that do nothing; see shuffled().

/// Neighbours that a cell of a grid exchanges data with.
enum class Stencil : std::uint8_t {
  /// Those that share a face: 5-point in 2 dimensions, 7-point in 3.
  kFaces,
  /// Those that share a corner, too: 9-point in 2 dimensions, 27-point in 3.
  kCorners,
};

/// A grid of any number of dimensions, a vertex a cell, the first dimension fastest; every edge
/// weighs 1. `wraps` also joins the first and last cells of each side longer than 2.
commgraph::CommGraph stencil_graph(std::span<const std::uint32_t> sides, Stencil stencil,
                                   bool wraps = false);

/// The sides, longest first, of the grid of `vertices` cells that comes nearest to a cube (with 2
/// dimensions, a square).
std::vector<std::uint32_t> even_sides(std::uint32_t vertices, std::uint32_t dimensions);

/// Random points of the unit square, joined when closer than a radius that makes the mean degree
/// about 10; every edge weighs 1. Vertices are numbered along a Hilbert curve, as programs that
/// split their domain by one number their ranks. There may be several components.
commgraph::CommGraph geometric_graph(std::uint32_t vertices, std::uint64_t seed);

/// The Delaunay triangulation of random points of the unit square, numbered as in
/// geometric_graph(); every edge weighs 1.
commgraph::CommGraph delaunay_graph(std::uint32_t vertices, std::uint64_t seed);

/// Patterns like those of the NAS Parallel Benchmarks, weights in bytes.

/// CG: on a grid of processes of as many columns as rows (or twice as many), each process exchanges
/// vectors with those of its row at distances 1, 2, 4 ... and with its transpose. Precondition:
/// `vertices` is a power of 2.
commgraph::CommGraph cg_graph(std::uint32_t vertices);

/// BT: on a square of processes that wraps around, each exchanges faces with its neighbours in x
/// and y, and smaller ones with those on the diagonal, which are its neighbours in z under
/// multi-partitioning. Precondition: `vertices` is a square.
commgraph::CommGraph bt_graph(std::uint32_t vertices);

/// MG: on a three-dimensional grid of processes that wraps around, level k of the multigrid joins
/// the processes at multiples of 2^k with those 2^k away; its faces are 4^k times smaller.
commgraph::CommGraph mg_graph(std::uint32_t vertices);

/// The same graph with its vertices renumbered by std::shuffle and std::mt19937(seed).
commgraph::CommGraph shuffled(const commgraph::CommGraph& graph, std::uint32_t seed);

/// The names that instance_named() knows.
std::span<const std::string_view> instance_names();

/// The graph of that name and size, in its natural order; `seed` matters to the random ones. Throws
/// UsageError if there is no such name (it lists those there are) or the pattern does not exist for
/// that number of vertices, which is at least 1.
commgraph::CommGraph instance_named(std::string_view name, std::uint32_t vertices,
                                    std::uint64_t seed);

/// True if that pattern exists for that number of vertices: CG needs a power of 2, BT a square.
/// Throws UsageError if there is no such name.
bool instance_exists(std::string_view name, std::uint32_t vertices);

/// The least J that any mapping of this instance can have on the hierarchy 2:2:2:(vertices/8) with
/// the distances 1:10:100:1000; 0 where it is not known. Proven for the 5-point and 7-point
/// stencils without wrap-around of some sizes: nested boxes meet the isoperimetric bound of the
/// grid at every level.
std::uint64_t proven_optimum(std::string_view name, std::uint32_t vertices);

}  // namespace huddle
