#include "commgraph/mapping/mapper.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>

#include "commgraph/mapping/objective.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

using Cores = std::vector<std::uint32_t>;
constexpr std::array kEngines = {Engine::kAuto, Engine::kKernighanLin, Engine::kMetis,
                                 Engine::kIdentity};

MappingOptions with(Engine engine) {
  MappingOptions options;
  options.engine = engine;
  return options;
}

Cores identity(const CommGraph& graph) {
  Cores core_of(graph.vertices());
  std::iota(core_of.begin(), core_of.end(), 0U);
  return core_of;
}

std::uint64_t optimum_by_brute_force(const CommGraph& graph, const Hierarchy& machine) {
  Cores core_of = identity(graph);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  do {
    least = std::min(least, test::cost_by_definition(graph, machine, core_of));
  } while (std::next_permutation(core_of.begin(), core_of.end()));
  return least;
}

TEST_CASE("every engine gives each node, package, die and core exactly its share") {
  std::mt19937 random(31);
  for (int round = 0; round < 150; ++round) {
    const Hierarchy machine = test::random_hierarchy(random);
    const std::uint32_t vertices = test::number_in(random, 1, machine.cores());
    const CommGraph graph(vertices,
                          test::random_edges(random, vertices, random() % (4 * vertices), 5000));
    CAPTURE(round);
    const std::uint64_t before = test::cost_by_definition(graph, machine, identity(graph));
    for (const Engine engine : kEngines) {
      const Mapping mapping = map_ranks(graph, machine, with(engine));
      REQUIRE(mapping.core_of.size() == vertices);
      CHECK(test::fills_cores_in_order(mapping.core_of));
      CHECK((mapping.engine == engine || mapping.engine == Engine::kIdentity));
      if (engine == Engine::kAuto)
        CHECK(test::cost_by_definition(graph, machine, mapping.core_of) <= before);
    }
  }
}

TEST_CASE("the same input gives the same mapping, on one thread or several") {
  const CommGraph graph = test::stencil({16, 16}, 3);
  const Hierarchy machine = Hierarchy::parse("2:2:2:32", "1:10:100:1000");
  MappingOptions options;
  options.seed = 7;
  const Cores first = map_ranks(graph, machine, options).core_of;
  CHECK(map_ranks(graph, machine, options).core_of == first);
  options.threads = 4;
  CHECK(map_ranks(graph, machine, options).core_of == first);
}

TEST_CASE("auto is never below the optimum of tiny random graphs, and mostly at it") {
  std::mt19937 random(37);
  const Hierarchy machine = Hierarchy::parse("2:2:2", "1:10:100");
  int reached = 0;
  for (int round = 0; round < 20; ++round) {
    const CommGraph graph(8, test::random_edges(random, 8, 16, 100));
    const std::uint64_t best = optimum_by_brute_force(graph, machine);
    const std::uint64_t found = objective(graph, machine, map_ranks(graph, machine).core_of);
    CHECK(found >= best);
    if (found == best) ++reached;
  }
  CHECK(reached >= 15);
}

TEST_CASE("auto reaches the optimum of small shuffled stencils") {
  const Hierarchy eight = Hierarchy::parse("2:2:2", "1:10:100");
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const CommGraph plane = test::stencil({4, 2}, seed);
    const CommGraph cube = test::stencil({2, 2, 2}, seed);
    for (const CommGraph& graph : {plane, cube})
      CHECK(objective(graph, eight, map_ranks(graph, eight).core_of) ==
            optimum_by_brute_force(graph, eight));
  }
  const Hierarchy nodes = Hierarchy::parse("2:2:2:8", "1:10:100:1000");
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const CommGraph plane = test::stencil({8, 8}, seed);
    CHECK(objective(plane, nodes, map_ranks(plane, nodes).core_of) == 67904);
    const CommGraph cube = test::stencil({4, 4, 4}, seed);
    CHECK(objective(cube, nodes, map_ranks(cube, nodes).core_of) == 103104);
  }
}

TEST_CASE("auto reaches the optimum of 1,024 shuffled ranks") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:128", "1:10:100:1000");
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const CommGraph plane = test::stencil({32, 32}, seed);
    CHECK(objective(plane, machine, map_ranks(plane, machine).core_of) == 1470464);
    const CommGraph cube = test::stencil({16, 8, 8}, seed);
    CHECK(objective(cube, machine, map_ranks(cube, machine).core_of) == 2545664);
  }
}

TEST_CASE("auto is better than Kernighan-Lin and METIS where nothing is regular") {
  std::mt19937 random(53);
  const Hierarchy machine = Hierarchy::parse("4:2:2:16", "1:10:100:1000");
  double of_auto = 0;
  double of_others = 0;
  for (int round = 0; round < 5; ++round) {
    const CommGraph graph(256, test::random_edges(random, 256, 900, 100));
    const auto found = [&](Engine engine) {
      return static_cast<double>(
          objective(graph, machine, map_ranks(graph, machine, with(engine)).core_of));
    };
    of_auto += found(Engine::kAuto);
    of_others += std::min(found(Engine::kMetis), found(Engine::kKernighanLin));
  }
  CHECK(of_auto < of_others);
}

TEST_CASE("how the ranks are numbered changes the cost by little") {
  std::mt19937 random(59);
  const Hierarchy machine = Hierarchy::parse("2:2:2:64", "1:10:100:1000");
  std::vector<WeightedEdge> edges = test::random_edges(random, 512, 1500, 50);
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  for (int round = 0; round < 6; ++round) {
    const CommGraph graph(512, edges);
    const std::uint64_t found = objective(graph, machine, map_ranks(graph, machine).core_of);
    least = std::min(least, found);
    most = std::max(most, found);
    std::vector<Vertex> number(512);
    std::iota(number.begin(), number.end(), 0U);
    std::shuffle(number.begin(), number.end(), random);
    for (WeightedEdge& edge : edges) edge = {number[edge.a], number[edge.b], edge.weight};
  }
  CHECK(static_cast<double>(most) < 1.02 * static_cast<double>(least));
}

TEST_CASE("distances that grow slowly are minded at all levels") {
  std::mt19937 random(61);
  const Hierarchy machine = Hierarchy::parse("2:2:2", "4:5:6");
  for (int round = 0; round < 10; ++round) {
    const CommGraph graph(8, test::random_edges(random, 8, 14, 30));
    CHECK(objective(graph, machine, map_ranks(graph, machine).core_of) <=
          optimum_by_brute_force(graph, machine) * 103 / 100);
  }
}

TEST_CASE("nodes of different sizes take what they are given, in order") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:5", "1:10:100:1000");
  MappingOptions options;
  options.node_sizes = {3, 8, 0, 5, 8};
  for (const Engine engine : kEngines)
    for (const std::uint32_t ranks : {1U, 3U, 4U, 11U, 16U, 20U, 24U}) {
      options.engine = engine;
      const Mapping mapping = map_ranks(test::stencil({ranks}, 7), machine, options);
      std::vector<std::uint32_t> cores = mapping.core_of;
      std::sort(cores.begin(), cores.end());
      std::vector<std::uint32_t> expected;
      for (std::uint32_t node = 0; node < 5; ++node)
        for (std::uint32_t core = 0; core < options.node_sizes[node]; ++core)
          expected.push_back(node * 8 + core);
      expected.resize(ranks);
      CAPTURE(name_of(engine));
      CAPTURE(ranks);
      CHECK(cores == expected);
    }
}

TEST_CASE("node sizes that don't fit the hierarchy or the ranks are usage errors") {
  const Hierarchy machine = Hierarchy::parse("2:2:3", "1:10:100");
  const CommGraph graph(6);
  MappingOptions options;
  options.node_sizes = {4, 4};
  CHECK_THROWS_WITH_AS(map_ranks(graph, machine, options),
                       doctest::Contains("for 2 nodes, but the hierarchy has 3"), UsageError);
  options.node_sizes = {4, 5, 4};
  CHECK_THROWS_WITH_AS(map_ranks(graph, machine, options),
                       doctest::Contains("node 1 is to use 5 cores, but it has only 4"),
                       UsageError);
  options.node_sizes = {2, 2, 1};
  CHECK_THROWS_WITH_AS(map_ranks(graph, machine, options),
                       doctest::Contains("6 ranks don't fit on the 5 cores"), UsageError);
}

TEST_CASE("a search that is stopped gives the best so far: a mapping, not worse than identity") {
  const CommGraph graph = test::stencil({40, 40}, 3);
  const Hierarchy machine = Hierarchy::parse("2:2:2:200", "1:10:100:1000");
  for (const int patience : {0, 1, 2, 3}) {
    std::atomic<int> left{patience};
    MappingOptions options;
    options.stop = [&] { return left-- <= 0; };
    const Mapping mapping = map_ranks(graph, machine, options);
    CHECK(test::fills_cores_in_order(mapping.core_of));
    CHECK(objective(graph, machine, mapping.core_of) <= objective(graph, machine, identity(graph)));
  }
}

TEST_CASE("a quick mapping is nearly as good") {
  std::mt19937 random(67);
  const Hierarchy machine = Hierarchy::parse("2:2:2:64", "1:10:100:1000");
  MappingOptions quick;
  quick.quick = true;
  for (int round = 0; round < 3; ++round) {
    const CommGraph graph(512, test::random_edges(random, 512, 1500, 50));
    const auto full =
        static_cast<double>(objective(graph, machine, map_ranks(graph, machine).core_of));
    const auto found =
        static_cast<double>(objective(graph, machine, map_ranks(graph, machine, quick).core_of));
    CHECK(found < 1.1 * full);
  }
  const CommGraph cube = test::stencil({8, 8, 8}, 3);
  CHECK(objective(cube, machine, map_ranks(cube, machine, quick).core_of) ==
        objective(cube, machine, map_ranks(cube, machine).core_of));
}

TEST_CASE("after a stop METIS is not asked again") {
  const CommGraph graph = test::stencil({12, 12}, 3);
  const Hierarchy machine = Hierarchy::parse("2:2:2:18", "1:10:100:1000");
  MappingOptions options = with(Engine::kMetis);
  int asked = 0;
  options.stop = [&] {
    ++asked;
    return true;
  };
  CHECK(test::fills_cores_in_order(map_ranks(graph, machine, options).core_of));
  CHECK(asked == 1);
}

TEST_CASE("progress names what is being done") {
  std::vector<std::string> steps;
  MappingOptions options;
  options.progress = [&](std::string_view step) { steps.emplace_back(step); };
  map_ranks(test::stencil({16, 16}, 3), Hierarchy::parse("2:2:2:32", "1:10:100:1000"), options);
  CHECK(steps == std::vector<std::string>{"ordering the graph", "growing groups", "annealing",
                                          "arranging cores"});
}

TEST_CASE("an order that is optimal already is kept, and auto says that identity won") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:2", "1:10:100:1000");
  const CommGraph line = test::stencil({16}, 0);
  const Mapping mapping = map_ranks(line, machine);
  CHECK(mapping.engine == Engine::kIdentity);
  CHECK(mapping.core_of == identity(line));
}

TEST_CASE("the last node holds the rest") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:4", "1:10:100:1000");
  for (const std::uint32_t ranks : {1U, 7U, 8U, 9U, 11U, 20U, 31U}) {
    const CommGraph ring = test::stencil({ranks}, ranks);
    std::vector<std::uint32_t> in_node(4, 0);
    for (const std::uint32_t core : map_ranks(ring, machine).core_of)
      ++in_node[machine.node_of(core)];
    for (std::uint32_t node = 0; node < 4; ++node)
      CHECK(in_node[node] == (ranks > node * 8 ? std::min(8U, ranks - node * 8) : 0));
  }
}

TEST_CASE("odd graphs are mapped by every engine") {
  const Hierarchy machine = Hierarchy::parse("2:2:2:16", "1:10:100:1000");
  const std::uint64_t enormous = std::numeric_limits<std::uint64_t>::max() / 512;
  std::vector<WeightedEdge> heavy;
  for (Vertex v = 0; v + 1 < 128; ++v) heavy.push_back({v, (v * 37 + 5) % 128, enormous});
  const std::vector<CommGraph> graphs = {
      CommGraph(),           CommGraph(1),
      CommGraph(128),        CommGraph(128, {{3, 99, 1}}),
      CommGraph(128, heavy), CommGraph(100, {{0, 0, 5}, {1, 2, 0}, {98, 99, 1}})};
  for (const CommGraph& graph : graphs)
    for (const Engine engine : kEngines) {
      const Mapping mapping = map_ranks(graph, machine, with(engine));
      CHECK(mapping.core_of.size() == graph.vertices());
      CHECK(test::fills_cores_in_order(mapping.core_of));
    }
}

TEST_CASE("more ranks than cores, or no thread, is a usage error") {
  const Hierarchy machine = Hierarchy::parse("2:2", "1:10");
  CHECK_THROWS_WITH_AS(map_ranks(CommGraph(5), machine),
                       doctest::Contains("5 ranks don't fit on the 4 cores"), UsageError);
  MappingOptions options;
  options.threads = 0;
  CHECK_THROWS_AS(map_ranks(CommGraph(4), machine, options), UsageError);
}

TEST_CASE("engines are named, and an unknown name is answered by those that exist") {
  for (const Engine engine : kEngines) CHECK(engine_named(name_of(engine)) == engine);
  CHECK_THROWS_WITH_AS(engine_named("best"), doctest::Contains("auto, kl, metis, identity"),
                       UsageError);
}

}  // namespace
}  // namespace huddle::commgraph
