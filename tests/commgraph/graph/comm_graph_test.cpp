#include "commgraph/graph/comm_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

SentMessages sent(std::uint32_t receiver, std::uint64_t messages, std::uint64_t bytes) {
  return {Rank{receiver}, size_class_of(bytes), messages, Bytes{bytes}};
}

Profile three_ranks() {
  Profile profile;
  profile.ranks = 4;
  profile.rank_records.resize(2);
  profile.rank_records[0].rank = Rank{0};
  profile.rank_records[0].sent = {sent(0, 9, 900), sent(1, 2, 100), sent(1, 3, 3000),
                                  sent(2, 4, 0)};
  profile.rank_records[1].rank = Rank{1};
  profile.rank_records[1].sent = {sent(0, 5, 7)};
  return profile;
}

TEST_CASE("the graph of a profile adds up both directions and all size classes") {
  const CommGraph graph = comm_graph_of(three_ranks(), Weight::kBytes);
  CHECK(graph.vertices() == 4);
  CHECK(graph.edges() == 1);
  CHECK(graph.total_weight() == 3107);
  REQUIRE(graph.view().neighbours_of(0).size() == 1);
  CHECK(graph.view().neighbours_of(0)[0] == 1);
  CHECK(graph.view().weights_of(1)[0] == 3107);
  CHECK(graph.view().neighbours_of(3).empty());
}

TEST_CASE("weighed by messages, an empty message counts too") {
  const CommGraph graph = comm_graph_of(three_ranks(), Weight::kMessages);
  CHECK(graph.edges() == 2);
  CHECK(graph.view().weights_of(0)[0] == 10);
  CHECK(graph.view().weights_of(2)[0] == 4);
}

TEST_CASE("neighbourhood collectives and one-sided calls count like messages, whichever way") {
  Profile profile;
  profile.ranks = 3;
  profile.rank_records.resize(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) profile.rank_records[rank].rank = Rank{rank};
  profile.rank_records[0].sent = {sent(1, 1, 1000)};
  profile.rank_records[1].sent_to_neighbours = {sent(0, 2, 200)};
  profile.rank_records[0].put = {sent(1, 3, 30)};
  profile.rank_records[1].fetched = {sent(0, 4, 4)};
  profile.rank_records[2].fetched = {sent(0, 5, 500), sent(2, 6, 600)};
  const CommGraph bytes = comm_graph_of(profile, Weight::kBytes);
  CHECK(bytes.edges() == 2);
  CHECK(bytes.view().weights_of(1)[0] == 1234);
  CHECK(bytes.view().weights_of(2)[0] == 500);
  const CommGraph messages = comm_graph_of(profile, Weight::kMessages);
  CHECK(messages.view().weights_of(1)[0] == 10);
  CHECK(messages.view().weights_of(2)[0] == 5);
}

TEST_CASE("a graph holds the sums of a list of random edges, from both ends and in order") {
  std::mt19937 random(11);
  const auto edges = test::random_edges(random, 40, 500, 1000);
  std::map<std::pair<Vertex, Vertex>, std::uint64_t> expected;
  for (const WeightedEdge& edge : edges) {
    if (edge.a == edge.b) continue;
    expected[{edge.a, edge.b}] += edge.weight;
    expected[{edge.b, edge.a}] += edge.weight;
  }
  const CommGraph graph(40, edges);
  std::map<std::pair<Vertex, Vertex>, std::uint64_t> stored;
  for (Vertex v = 0; v < 40; ++v) {
    const auto neighbours = graph.view().neighbours_of(v);
    CHECK(std::is_sorted(neighbours.begin(), neighbours.end()));
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      stored[{v, neighbours[i]}] += graph.view().weights_of(v)[i];
  }
  CHECK(stored == expected);
  CHECK(graph.edges() * 2 == expected.size());
}

TEST_CASE("edges of weight 0 and self-loops are no edges") {
  const CommGraph graph(3, {{0, 1, 0}, {2, 2, 8}});
  CHECK(graph.edges() == 0);
  CHECK(graph.total_weight() == 0);
}

TEST_CASE("weights that overflow 64 bits, counted from both ends, are an error") {
  CHECK(CommGraph(3, {{0, 1, kLargest / 2}}).total_weight() == kLargest / 2);
  CHECK_THROWS_AS(CommGraph(3, {{0, 1, kLargest / 2 + 1}}), Error);
  CHECK_THROWS_AS(CommGraph(3, {{0, 1, kLargest / 2}, {1, 2, 1}}), Error);
  CHECK_NOTHROW(CommGraph(3, {{0, 0, kLargest}, {1, 2, 1}}));
}

TEST_CASE("an end beyond the last vertex is an error") {
  CHECK_THROWS_AS(CommGraph(2, {{0, 2, 1}}), Error);
  CHECK_THROWS_AS(CommGraph(0, {{0, 0, 1}}), Error);
}

TEST_CASE("a graph without vertices is fine") {
  CHECK(CommGraph().vertices() == 0);
  CHECK(CommGraph().view().arcs() == 0);
}

}  // namespace
}  // namespace huddle::commgraph
