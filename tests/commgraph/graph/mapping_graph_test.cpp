#include "commgraph/graph/mapping_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "commgraph/mapping/objective.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/size_class.hpp"
#include "tests/commgraph/random_graphs.hpp"

namespace huddle::commgraph {
namespace {

SentMessages sent_to(std::uint32_t receiver, std::uint64_t messages, std::uint64_t bytes) {
  return {Rank{receiver}, size_class_of(bytes), messages, Bytes{bytes}};
}

Profile four_ranks() {
  Profile profile;
  profile.ranks = 4;
  profile.rank_records.resize(4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) profile.rank_records[rank].rank = Rank{rank};
  return profile;
}

void add_to_all(Profile& profile, const std::string& operation, std::uint64_t bytes) {
  for (RankRecord& record : profile.rank_records)
    record.collectives.push_back(
        {operation, "world", 4, size_class_of(bytes), 1, Bytes{bytes}, {}, 0});
}

// 1 s and 1 byte/s inside a node at worst, 4 s and 4 bytes/s between nodes.
Machine slow_machine() {
  Machine machine;
  machine.links = {LinkTime{{0.5}, {8}, Origin::kGiven}, LinkTime{{0.75}, {2}, Origin::kGiven},
                   LinkTime{{1}, {1}, Origin::kGiven}, LinkTime{{4}, {4}, Origin::kGiven}};
  return machine;
}

std::uint64_t weight_between(const CommGraph& graph, Vertex a, Vertex b) {
  const auto neighbours = graph.view().neighbours_of(a);
  const auto found = std::find(neighbours.begin(), neighbours.end(), b);
  if (found == neighbours.end()) return 0;
  return graph.view().weights_of(a)[static_cast<std::size_t>(found - neighbours.begin())];
}

TEST_CASE("a mapper sees collectives on top of messages") {
  Profile profile = four_ranks();
  profile.rank_records[0].sent = {sent_to(1, 2, 100)};
  add_to_all(profile, "allreduce", 8);
  const CommGraph with = mapping_graph_of(profile, Weight::kBytes).graph;
  CHECK(with.edges() == 4);
  CHECK(weight_between(with, 0, 1) == 116);
  CHECK(weight_between(with, 1, 3) == 16);
  CHECK(weight_between(mapping_graph_of(profile, Weight::kMessages).graph, 0, 1) == 4);
  CHECK(comm_graph_of(profile, Weight::kBytes).total_weight() == 100);
}

TEST_CASE("a program of nothing but all-to-alls has a graph without edges, and the reason") {
  Profile profile = four_ranks();
  add_to_all(profile, "alltoall", 4000);
  const MappingGraph graph = mapping_graph_of(profile, Weight::kBytes);
  CHECK(graph.graph.vertices() == 4);
  CHECK(graph.graph.edges() == 0);
  CHECK(graph.left_out[static_cast<std::size_t>(NotExpanded::kSameForAll)].bytes.value == 16'000);
}

TEST_CASE("an equal exchange among all ranks adds the same to every mapping") {
  std::mt19937 random(8);
  std::vector<WeightedEdge> edges;
  for (Vertex a = 0; a < 13; ++a)
    for (Vertex b = 0; b < a; ++b) edges.push_back({a, b, 7});
  const CommGraph graph(13, edges);
  const Hierarchy hierarchy({2, 2, 4}, {1, 10, 100});
  std::vector<std::uint32_t> core_of(13);
  std::iota(core_of.begin(), core_of.end(), 0U);
  const std::uint64_t cost = objective(graph, hierarchy, core_of);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(core_of.begin(), core_of.end(), random);
    CHECK(objective(graph, hierarchy, core_of) == cost);
  }
}

TEST_CASE("weighed by time, edges are in the ratios of equation (4), worked out by hand") {
  Profile profile = four_ranks();
  // An empty message: 1 s on a node, 4 s between nodes, so it gains 3 s.
  profile.rank_records[0].sent = {sent_to(1, 1, 0)};
  // Two of 16 bytes together, one each way: 18 s and 12 s, so they lose 6 s.
  profile.rank_records[1].sent = {sent_to(2, 1, 10)};
  profile.rank_records[2].sent = {sent_to(1, 1, 6), sent_to(3, 1, 8)};
  // The last, of 8 bytes: 9 s and 6 s, it loses 3 s. C = 2^2 x 1/3, so the costs are 13/3, 1/6,
  // 1/3.
  const CommGraph graph =
      mapping_graph_by_time(profile, slow_machine(), {.ranks_per_node = 2}).graph;
  CHECK(graph.edges() == 3);
  const auto unit = static_cast<double>(weight_between(graph, 1, 2));
  CHECK(static_cast<double>(weight_between(graph, 0, 1)) / unit ==
        doctest::Approx(26).epsilon(1e-6));
  CHECK(static_cast<double>(weight_between(graph, 2, 3)) / unit ==
        doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE("weighed by time, what gains nothing has no edge where nothing is lost") {
  Machine machine = slow_machine();
  machine.links.fill(machine.link(Distance::kNode));
  Profile profile = four_ranks();
  profile.rank_records[0].sent = {sent_to(1, 5, 50)};
  CHECK(mapping_graph_by_time(profile, machine, {}).graph.edges() == 0);
}

TEST_CASE("weighed by time, weights leave room for the largest distance") {
  Profile profile = four_ranks();
  profile.rank_records[0].sent = {sent_to(1, 5, 0), sent_to(2, 1, 0)};
  const std::uint64_t most = (std::uint64_t{1} << 63U) / 1000;
  const CommGraph graph =
      mapping_graph_by_time(profile, slow_machine(), {.ranks_per_node = 2, .most_total = most})
          .graph;
  CHECK(graph.total_weight() <= most);
  CHECK(graph.total_weight() > most / 2);
  CHECK_NOTHROW(
      objective(graph, Hierarchy({2, 2}, {1, 1000}), std::vector<std::uint32_t>{0, 2, 1, 3}));
}

TEST_CASE("weighed by time, collectives count as the messages they are made of") {
  Profile profile = four_ranks();
  add_to_all(profile, "allreduce", 8);
  CHECK(mapping_graph_by_time(profile, slow_machine(), {}).graph.edges() == 4);
}

TEST_CASE("traffic added up has each pair once, whichever way it went") {
  CHECK(added_up({{2, 1, 1, 10}, {0, 3, 1, 1}, {1, 2, 2, 20}, {3, 3, 9, 9}}) ==
        std::vector<PairTraffic>{{0, 3, 1, 1}, {1, 2, 3, 30}});
  CHECK_THROWS_AS(added_up({{0, 1, 0, ~std::uint64_t{0}}, {1, 0, 0, 1}}), Error);
}

}  // namespace
}  // namespace huddle::commgraph
