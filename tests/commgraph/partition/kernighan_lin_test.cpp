#include "commgraph/partition/kernighan_lin.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "profiles/vocabulary/error.hpp"
#include "tests/commgraph/partition_checks.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Sizes = std::vector<std::uint32_t>;
using test::cut;

constexpr std::uint64_t kMostWeight = std::numeric_limits<std::int64_t>::max();

// The least cut over all ways to have `first_size` vertices in part 0 and the others in part 1.
std::uint64_t least_cut(const GraphView& graph, std::uint32_t first_size) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t halves = 0; halves < (1U << graph.vertices()); ++halves) {
    if (static_cast<std::uint32_t>(std::popcount(halves)) != first_size) continue;
    Sizes part_of(graph.vertices());
    for (Vertex v = 0; v < graph.vertices(); ++v) part_of[v] = ((halves >> v) & 1U) != 0 ? 0 : 1;
    least = std::min(least, cut(graph, part_of));
  }
  return least;
}

std::uint64_t best_of_starts(const GraphView& graph, const Sizes& sizes, std::uint64_t starts) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t seed = 1; seed <= starts; ++seed)
    least = std::min(least, cut(graph, kernighan_lin_partition(graph, sizes, seed)));
  return least;
}

// The least change of the cut by swapping two vertices of different parts.
std::int64_t best_single_swap(const GraphView& graph, Sizes part_of) {
  const auto before = static_cast<std::int64_t>(cut(graph, part_of));
  std::int64_t best = 0;
  for (Vertex a = 0; a < graph.vertices(); ++a)
    for (Vertex b = 0; b < a; ++b) {
      std::swap(part_of[a], part_of[b]);
      best = std::min(best, static_cast<std::int64_t>(cut(graph, part_of)) - before);
      std::swap(part_of[a], part_of[b]);
    }
  return best;
}

TEST_CASE("Kernighan-Lin keeps every size, whatever the graph, the sizes and the seed") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const std::uint32_t vertices = test::number_in(random, 1, 120);
    const CommGraph graph(vertices, test::random_edges(random, vertices, random() % 500, 1000));
    const Sizes sizes = test::random_sizes(random, vertices, test::number_in(random, 1, 20));
    const std::uint64_t seed = random();
    const Sizes part_of = kernighan_lin_partition(graph.view(), sizes, seed);
    CHECK(test::part_sizes(part_of, sizes.size()) == sizes);
    CHECK(kernighan_lin_partition(graph.view(), sizes, seed) == part_of);
  }
}

TEST_CASE("Kernighan-Lin never cuts more than its start, and leaves no swap that gains") {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const std::uint32_t vertices = test::number_in(random, 2, 40);
    const CommGraph graph(vertices, test::random_edges(random, vertices, random() % 200, 9));
    const std::uint32_t parts = test::number_in(random, 2, 8);
    Sizes part_of(vertices);
    for (std::uint32_t& part : part_of) part = test::number_in(random, 0, parts - 1);
    const Sizes start = part_of;
    improve_by_kernighan_lin(graph.view(), parts, part_of);
    CHECK(test::part_sizes(part_of, parts) == test::part_sizes(start, parts));
    CHECK(cut(graph.view(), part_of) <= cut(graph.view(), start));
    CHECK(best_single_swap(graph.view(), part_of) == 0);
    const Sizes once = part_of;
    improve_by_kernighan_lin(graph.view(), parts, part_of);
    CHECK(part_of == once);
  }
}

TEST_CASE("the best of several starts cuts small graphs in two as well as trying everything") {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const std::uint32_t vertices = test::number_in(random, 2, 10);
    const CommGraph graph(vertices,
                          test::random_edges(random, vertices, random() % (3 * vertices), 20));
    const std::uint32_t first = test::number_in(random, 0, vertices);
    CHECK(best_of_starts(graph.view(), {first, vertices - first}, 10) ==
          least_cut(graph.view(), first));
  }
}

TEST_CASE("from any start, Kernighan-Lin parts two cliques that an edge joins") {
  std::vector<WeightedEdge> edges{{0, 9, 1}};
  for (Vertex a = 0; a < 5; ++a)
    for (Vertex b = 0; b < a; ++b) {
      edges.push_back({2 * a, 2 * b, 10});
      edges.push_back({2 * a + 1, 2 * b + 1, 10});
    }
  const CommGraph graph(10, edges);
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    CHECK(cut(graph.view(), kernighan_lin_partition(graph.view(), Sizes{5, 5}, seed)) == 1);
}

TEST_CASE("a pass climbs out of a minimum that no single swap leaves") {
  // Four heavy pairs, each tied to one of the other side: whoever moves alone leaves its partner.
  const CommGraph graph(
      8, {{0, 1, 5}, {2, 3, 5}, {4, 5, 5}, {6, 7, 4}, {0, 4, 2}, {1, 5, 2}, {2, 6, 2}, {3, 7, 2}});
  Sizes part_of{0, 0, 0, 0, 1, 1, 1, 1};
  REQUIRE(best_single_swap(graph.view(), part_of) == 0);
  REQUIRE(cut(graph.view(), part_of) == 8);
  improve_by_kernighan_lin(graph.view(), 2, part_of);
  CHECK(cut(graph.view(), part_of) == 0);
}

TEST_CASE("components that fit the parts are found by Kernighan-Lin in a disconnected graph") {
  const CommGraph graph(9, {{0, 3, 1}, {3, 6, 1}, {1, 4, 1}, {4, 7, 1}, {2, 5, 1}, {5, 8, 1}});
  CHECK(best_of_starts(graph.view(), {3, 3, 3}, 20) == 0);
}

TEST_CASE("isolated vertices fill the parts that Kernighan-Lin makes") {
  const CommGraph graph(20, {{3, 17, 4}, {17, 8, 4}});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Sizes part_of = kernighan_lin_partition(graph.view(), Sizes{3, 10, 7}, seed);
    CHECK(test::part_sizes(part_of, 3) == Sizes{3, 10, 7});
    CHECK(cut(graph.view(), part_of) == 0);
  }
}

TEST_CASE("Kernighan-Lin takes one part, parts of nobody, and a graph of nobody") {
  const CommGraph graph(3, {{0, 1, 1}});
  CHECK(kernighan_lin_partition(graph.view(), Sizes{3}) == Sizes{0, 0, 0});
  CHECK(kernighan_lin_partition(graph.view(), Sizes{0, 3, 0}) == Sizes{1, 1, 1});
  CHECK(kernighan_lin_partition(CommGraph(0).view(), Sizes{}).empty());
  CHECK(kernighan_lin_partition(CommGraph(0).view(), Sizes{0, 0}).empty());
}

TEST_CASE("sizes that do not sum to the number of vertices are an error of Kernighan-Lin") {
  CHECK_THROWS_AS(kernighan_lin_partition(CommGraph(3).view(), Sizes{2}), Error);
  CHECK_THROWS_AS(kernighan_lin_partition(CommGraph(3).view(), Sizes{2, 2}), Error);
}

TEST_CASE("weights near 2^63 do not overflow in Kernighan-Lin") {
  const CommGraph pair(4, {{0, 1, kMostWeight}});
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Sizes part_of = kernighan_lin_partition(pair.view(), Sizes{2, 2}, seed);
    CHECK(part_of[0] == part_of[1]);
  }
  // Both ends of the heavy edge gain all of it, 2^64 together, if they are looked at as apart.
  constexpr std::uint64_t kHalf = kMostWeight / 2;
  const CommGraph cross(4, {{0, 1, kHalf}, {2, 3, kHalf - 1}, {0, 2, 1}});
  Sizes part_of{0, 1, 1, 0};
  improve_by_kernighan_lin(cross.view(), 2, part_of);
  CHECK(part_of[0] == part_of[1]);
  CHECK(part_of[2] == part_of[3]);
}

TEST_CASE("Kernighan-Lin keeps most of a grid's edges inside parts of eight") {
  // 4,096 points in a cube; blocks of 2 x 2 x 2 would cut 5,760 of the 11,520 edges, a random
  // assignment nearly all.
  const CommGraph graph = test::stencil({16, 16, 16}, 1);
  const Sizes part_of = kernighan_lin_partition(graph.view(), Sizes(512, 8));
  CHECK(cut(graph.view(), part_of) < 8000);
}

}  // namespace
}  // namespace huddle::commgraph
