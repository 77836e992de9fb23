#include "aggregator/planning/detail/samples/sampling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "aggregator/predict/pattern/placement.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::planning {
namespace {

using Patterns = std::vector<predict::Pattern>;

TEST_CASE("on shared nodes a sampling run fills all nodes alike, as densely as can be") {
  CHECK(even_layout(small_node(), 16, 16) == Patterns(2, predict::Pattern{2, 2, 2}));
  CHECK(even_layout(small_node(), 12, 12) == Patterns(3, predict::Pattern{2, 1, 2}));
  CHECK(even_layout(small_node(), 16, 16, 5) == Patterns(4, predict::Pattern{2, 1, 2}));
  CHECK(even_layout(small_node(), 16, 2).empty());
  CHECK(even_layout(small_node(), 7, 7).empty());
}

TEST_CASE("a sampling run fills a node fully, and others as unlike it and each other as can be") {
  CHECK(sampling_layout(small_node(), 16, 16) ==
        Patterns{{2, 2, 2}, {1, 1, 2}, {2, 2, 1}, {1, 2, 1}});
  const Patterns large =
      sampling_layout(commgraph::load_topology("package:2 die:4 core:4 pu:1"), 64, 64);
  CHECK(large.front() == predict::Pattern{2, 4, 4});
  CHECK(std::set<predict::Pattern>(large.begin(), large.end()).size() >= 6);
}

TEST_CASE("a sampling run varies how full NUMA nodes are") {
  const commgraph::NodeTopology node =
      commgraph::load_topology("package:2 numa:2 l3:2 core:4 pu:1");
  std::set<std::uint32_t> sharing;
  for (const predict::Pattern& pattern : sampling_layout(node, 128, 128))
    sharing.insert(predict::sharing_of(pattern).numa_node);
  CHECK(sharing.size() > 2);
}

TEST_CASE("with ranks for all of them, every pattern of a small node is measured") {
  const Patterns layout = sampling_layout(small_node(), 64, 64);
  CHECK(std::set<predict::Pattern>(layout.begin(), layout.end()).size() >=
        7);  // 1:1:1 is the first run's
}

TEST_CASE("ranks that can't fill a node twice leave some for another pattern") {
  CHECK(sampling_layout(commgraph::load_topology("package:2 die:4 core:4 pu:1"), 16, 16) ==
        Patterns{{1, 3, 4}, {1, 1, 3}, {1, 3, 4}});  // the last has one rank
}

TEST_CASE("where two ranks fill a node, half of them share one and the others are alone") {
  const commgraph::NodeTopology two = commgraph::load_topology("package:2 die:1 core:1 pu:1");
  CHECK(predict::patterns_of(two).size() == 2);
  CHECK(sampling_layout(two, 4, 4).size() == 3);
  CHECK(sampling_layout(two, 8, 8).size() == 6);
  for (const std::uint32_t ranks : {3U, 4U, 8U, 9U}) {
    const Patterns layout = sampling_layout(two, ranks, ranks);
    REQUIRE_FALSE(layout.empty());
    CHECK(layout.front().ranks_per_node() == 2);
    CHECK(layout.back() == predict::Pattern{1, 1, 1});
  }
  CHECK(sampling_layout(two, 2, 2).empty());
  CHECK(sampling_layout(two, 8, 5).empty());
}

TEST_CASE("every rank has a place, nodes are no more than allowed, and patterns differ") {
  for (const char* text : {"package:2 die:2 core:2 pu:1", "package:1 die:1 core:12 pu:1",
                           "package:2 die:3 core:5 pu:2", "package:1 die:8 core:1 pu:1"}) {
    const commgraph::NodeTopology node = commgraph::load_topology(text);
    for (std::uint32_t ranks = 1; ranks <= 80; ++ranks)
      for (std::uint32_t nodes = 1; nodes <= ranks; nodes += 1 + nodes / 3) {
        CAPTURE(text);
        CAPTURE(ranks);
        CAPTURE(nodes);
        Patterns layout = sampling_layout(node, ranks, nodes);
        if (layout.empty()) continue;
        CHECK(layout.size() <= nodes);
        CHECK(std::set<predict::Pattern>(layout.begin(), layout.end()).size() > 1);
        const Patterns all = layout;
        const std::vector<RankPlace> places =
            places_on(layout, node, std::vector<std::uint32_t>(ranks, 1), nodes);
        REQUIRE(places.size() == ranks);
        CHECK(layout == all);
        CHECK(places.back().node.value + 1 == layout.size());
        std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
        for (const RankPlace& place : places)
          for (const std::uint32_t pu : place.pus.members())
            CHECK(taken.emplace(place.node.value, pu).second);
      }
  }
}

TEST_CASE("ranks that must stay together are on one node of a sampling run") {
  const auto on_nodes = [](Patterns layout, const std::vector<std::uint32_t>& together,
                           std::uint32_t most_nodes) {
    std::vector<std::uint32_t> on;
    for (const RankPlace& place : places_on(layout, small_node(), together, most_nodes)) {
      on.resize(place.node.value + 1);
      ++on.back();
    }
    CHECK(on.size() == layout.size());
    return on;
  };
  using Nodes = std::vector<std::uint32_t>;
  const Patterns layout = {{2, 2, 2}, {1, 1, 2}, {2, 2, 1}, {1, 2, 1}};
  CHECK(on_nodes(layout, Nodes(8, 2), 8) == Nodes{8, 2, 4, 2});
  // Nodes of two ranks have no room for three, and there are others.
  CHECK(on_nodes(layout, Nodes(8, 3), 8) == Nodes{6, 3, 6, 6, 3});
  CHECK(on_nodes(layout, Nodes(8, 3), 2) == Nodes{6, 3});  // too few
  CHECK(on_nodes(layout, {9}, 8).empty());
}

TEST_CASE("there is no sampling run where nothing can be varied") {
  CHECK(sampling_layout(small_node(), 1, 1).empty());
  CHECK(sampling_layout(small_node(), 16, 2).empty());
  CHECK(sampling_layout(commgraph::load_topology("package:1 die:1 core:1 pu:1"), 8, 8).empty());
}

}  // namespace
}  // namespace huddle::planning
