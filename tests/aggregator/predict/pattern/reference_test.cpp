#include "aggregator/predict/pattern/reference.hpp"

#include <doctest/doctest.h>

#include <map>

#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

std::vector<std::uint32_t> nodes_of(const Reference& reference) {
  std::vector<std::uint32_t> nodes;
  for (const Location& at : reference.locations) nodes.push_back(at.node);
  return nodes;
}

using Nodes = std::vector<std::uint32_t>;

TEST_CASE("a reference on a pattern keeps consecutive ranks together") {
  const Reference reference = reference_on({2, 1, 1}, 5);
  CHECK(reference.pattern == "2:1:1");
  CHECK(reference.ranks_per_node == 2);
  CHECK(reference.nodes == 3);
  CHECK(nodes_of(reference) == Nodes{0, 0, 1, 1, 2});
  CHECK(reference.locations[1].package == 1);
}

TEST_CASE("ranks spread over nodes differ by one at most, the first nodes take more") {
  const commgraph::NodeTopology node = small_node();
  CHECK(nodes_of(reference_over(3, 7, node)) == Nodes{0, 0, 0, 1, 1, 2, 2});
  CHECK(nodes_of(reference_over(4, 10, node)) == Nodes{0, 0, 0, 1, 1, 1, 2, 2, 3, 3});
  CHECK(nodes_of(reference_over(3, 3, node)) == Nodes{0, 1, 2});
  CHECK(nodes_of(reference_over(1, 3, node)) == Nodes{0, 0, 0});
  for (std::uint32_t ranks = 1; ranks <= 24; ++ranks)
    for (std::uint32_t nodes = (ranks + 7) / 8; nodes <= ranks; ++nodes) {
      CAPTURE(ranks);
      CAPTURE(nodes);
      const Reference reference = reference_over(nodes, ranks, node);
      std::map<std::uint32_t, std::uint32_t> count;
      for (const Location& at : reference.locations) ++count[at.node];
      CHECK(reference.locations.size() == ranks);
      CHECK(count.size() == nodes);
      CHECK(count.begin()->second == reference.ranks_per_node);
      CHECK(count.rbegin()->second + 1 >= reference.ranks_per_node);
    }
}

TEST_CASE("inside a node ranks are spread widest") {
  const Reference reference = reference_over(1, 3, small_node());
  CHECK(reference.pattern == "2:2:1");
  CHECK(distance_between(reference.locations[0], reference.locations[1]) == Distance::kPackage);
  CHECK(distance_between(reference.locations[0], reference.locations[2]) == Distance::kNode);
}

TEST_CASE("more nodes than ranks, no node, or too few cores are refused") {
  const commgraph::NodeTopology node = small_node();
  CHECK(error_of<UsageError>([&] { reference_over(4, 3, node); }) ==
        "3 ranks can't be spread over 4 nodes");
  CHECK(error_of<UsageError>([&] { reference_over(0, 3, node); }) ==
        "3 ranks can't be spread over 0 nodes");
  CHECK(error_of<UsageError>([&] { reference_over(1, 9, node); }) ==
        "9 ranks do not fit on a node that has room for 8");
}

TEST_CASE("a measured layout has the smallest pattern that covers its cores") {
  const commgraph::NodeTopology node = small_node();
  CHECK(measured_reference(run_of(4, 1), node).pattern == "1:1:1");
  CHECK(measured_reference(run_of(4, 2), node).pattern == "1:1:2");
  CHECK(measured_reference(run_of(8, 8), node).pattern == "2:2:2");
  Profile spread = run_of(4, 2);
  for (RankRecord& record : spread.rank_records)
    record.pus = PuSet::parse(record.rank.value % 2 == 0 ? "0" : "4");
  const Reference reference = measured_reference(spread, node);
  CHECK(reference.pattern == "2:1:1");
  CHECK(reference.ranks_per_node == 2);
  CHECK(reference.nodes == 2);
}

TEST_CASE("ranks that were free to run anywhere count as spread widest") {
  Profile profile = run_of(6, 3);
  for (RankRecord& record : profile.rank_records) record.pus = PuSet::parse("0-7");
  const Reference reference = measured_reference(profile, small_node());
  CHECK(reference.pattern == "2:2:1");
  CHECK(reference.ranks_per_node == 3);
  CHECK(distance_between(reference.locations[0], reference.locations[1]) == Distance::kNode);
}

TEST_CASE(
    "ranks that took turns on cores are on as many cores as they are, even if the node has fewer") {
  Profile profile = run_of(16, 16);
  for (RankRecord& record : profile.rank_records)
    record.pus = PuSet::parse(std::to_string(record.rank.value % 8));
  CHECK(measured_reference(profile, small_node()).pattern == "2:2:4");
}

TEST_CASE("a run with more ranks on a node than this machine has cores is refused") {
  Profile profile = run_of(9, 9);
  for (RankRecord& record : profile.rank_records) record.pus = PuSet{};
  CHECK_THROWS_AS(measured_reference(profile, small_node()), UsageError);
}

}  // namespace
}  // namespace huddle::predict
