#include "commgraph/partition/exact_partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "profiles/vocabulary/error.hpp"
#include "tests/commgraph/captured_output.hpp"
#include "tests/commgraph/partition_checks.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Sizes = std::vector<std::uint32_t>;

using test::cut;
using test::random_sizes;

struct Case {
  CommGraph graph;
  Sizes sizes;
  SplitOptions options;
};

// Often disconnected, sometimes without an edge, with parts of any size.
Case random_case(std::mt19937& random) {
  const std::uint32_t vertices = test::number_in(random, 1, 120);
  const std::size_t edges = random() % 500;
  Case made;
  made.graph = CommGraph(vertices, test::random_edges(random, vertices, edges, 1000));
  made.sizes = random_sizes(random, vertices, test::number_in(random, 1, 20));
  made.options.method = random() % 2 == 0 ? SplitMethod::kKway : SplitMethod::kRecursive;
  made.options.seed = random();
  made.options.slack_permille = test::number_in(random, 0, 2000);
  return made;
}

TEST_CASE("every part holds exactly its size, whatever the graph, the sizes and the method") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Case made = random_case(random);
    CAPTURE(round);
    const auto part_of = partition_exactly(made.graph.view(), made.sizes, made.options);
    CHECK(test::part_sizes(part_of, made.sizes.size()) == made.sizes);
    CHECK(partition_exactly(made.graph.view(), made.sizes, made.options) == part_of);
  }
}

TEST_CASE("METIS' words about graphs it finds odd do not reach standard output") {
  const std::string words = test::output_of(STDOUT_FILENO, [] {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
      const Case made = random_case(random);
      partition_exactly(made.graph.view(), made.sizes, made.options);
    }
  });
  CHECK(words == "");
}

TEST_CASE("graphs that partitioners trip over are split exactly") {
  const auto split = [](const CommGraph& graph, const Sizes& sizes) {
    for (const SplitMethod method : {SplitMethod::kKway, SplitMethod::kRecursive})
      CHECK(test::part_sizes(partition_exactly(graph.view(), sizes, {method, 1, 100}),
                             sizes.size()) == sizes);
  };
  SUBCASE("no vertex") {
    split(CommGraph(), {0, 0});
  }
  SUBCASE("no edge") {
    split(CommGraph(100), {40, 0, 60});
  }
  SUBCASE("one part") {
    split(test::stencil({5, 5}, 1), {25});
  }
  SUBCASE("as many parts as vertices") {
    split(test::stencil({5, 5}, 1), Sizes(25, 1));
  }
  SUBCASE("one edge among many isolated vertices") {
    split({200, {{7, 90, 1}}}, Sizes(20, 10));
  }
  SUBCASE("a star") {
    std::vector<WeightedEdge> edges;
    for (Vertex v = 1; v < 300; ++v) edges.push_back({0, v, v});
    split({300, edges}, {150, 149, 1});
  }
  SUBCASE("all with all") {
    std::vector<WeightedEdge> edges;
    for (Vertex v = 0; v < 64; ++v)
      for (Vertex u = 0; u < v; ++u) edges.push_back({u, v, 1});
    split({64, edges}, Sizes(8, 8));
  }
  SUBCASE("weights beyond the range of METIS' integers") {
    std::vector<WeightedEdge> edges;
    for (Vertex v = 0; v + 1 < 100; ++v)
      edges.push_back({v, v + 1, v % 2 == 0 ? std::numeric_limits<std::uint64_t>::max() / 128 : 1});
    split({100, edges}, Sizes(10, 10));
  }
  SUBCASE("thousands of parts, the last one smaller") {
    Sizes sizes(2499, 8);
    sizes.push_back(5);
    split(test::stencil({19997}, 1), sizes);
  }
}

TEST_CASE("a pair is never worth its weight split: heavy chains stay together") {
  std::vector<WeightedEdge> edges;
  for (Vertex v = 0; v + 1 < 64; ++v) edges.push_back({v, v + 1, v % 2 == 0 ? 1000U : 1U});
  const CommGraph graph(64, edges);
  const auto part_of = partition_exactly(graph.view(), Sizes(8, 8), {});
  CHECK(cut(graph.view(), part_of) < 1000);
}

TEST_CASE("a bisection of a small graph is the best there is") {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t vertices = test::number_in(random, 2, 10);
    const std::uint32_t first = test::number_in(random, 1, vertices - 1);
    const CommGraph graph(vertices, test::random_edges(random, vertices, 30, 50));
    std::vector<std::uint32_t> halves(vertices, 1);
    std::fill_n(halves.begin(), first, 0U);
    std::sort(halves.begin(), halves.end());
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    do {
      least = std::min(least, cut(graph.view(), halves));
    } while (std::next_permutation(halves.begin(), halves.end()));
    const Sizes sizes{first, vertices - first};
    CHECK(cut(graph.view(), partition_exactly(graph.view(), sizes, {})) == least);
  }
}

TEST_CASE("the repair hands a vertex along a chain when the part with room is not adjacent") {
  // A path of 9 in parts of 4, 3 and 2: the middle one only passes on.
  const CommGraph path = test::stencil({9}, 0);
  std::vector<std::uint32_t> part_of{0, 0, 0, 0, 1, 1, 1, 2, 2};
  repair_balance(path.view(), Sizes{3, 3, 3}, part_of);
  CHECK(part_of == Sizes{0, 0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("the repair reaches room in another component") {
  const CommGraph two_pairs(4, {{0, 1, 5}, {2, 3, 5}});
  std::vector<std::uint32_t> part_of{0, 0, 0, 0};
  repair_balance(two_pairs.view(), Sizes{2, 2}, part_of);
  CHECK(test::part_sizes(part_of, 2) == Sizes{2, 2});
}

TEST_CASE("sizes that don't sum to the vertices are an error") {
  CHECK_THROWS_AS(partition_exactly(test::stencil({5}, 0).view(), Sizes{2, 2}, {}), Error);
}

TEST_CASE("subgraphs keep the edges inside a part, in order, and drop those between") {
  const CommGraph path = test::stencil({5}, 0);
  const Sizes part_of{0, 1, 0, 0, 1};
  const auto pieces = subgraphs(path.view(), part_of, 2);
  CHECK(pieces[0].original == std::vector<Vertex>{0, 2, 3});
  CHECK(pieces[0].first == std::vector<std::uint64_t>{0, 0, 1, 2});
  CHECK(pieces[0].neighbours == std::vector<Vertex>{2, 1});
  CHECK(pieces[1].original == std::vector<Vertex>{1, 4});
  CHECK(pieces[1].neighbours.empty());
}

}  // namespace
}  // namespace huddle::commgraph
