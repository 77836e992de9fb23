#include "aggregator/operations/train/training_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "commgraph/topology/smt_node.hpp"

namespace huddle::operations {
namespace {

commgraph::NodeTopology two_by_four_by_four() {
  return commgraph::load_topology("package:2 die:4 core:4 pu:1");
}

TEST_CASE("the most telling patterns come first, and none twice") {
  const std::vector<predict::Pattern> patterns = informative_patterns(two_by_four_by_four(), 12);
  REQUIRE(patterns.size() == 12);
  CHECK(patterns[0] == predict::Pattern{1, 1, 1});
  CHECK(patterns[1] == predict::Pattern{2, 4, 4});
  CHECK(patterns[2] == predict::Pattern{1, 1, 4});
  CHECK(patterns[3] == predict::Pattern{2, 4, 1});
  std::vector<predict::Pattern> sorted = patterns;
  std::sort(sorted.begin(), sorted.end());
  CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
}

TEST_CASE("a node of PUs is trained with all cores, with one rank on each and with all PUs") {
  const commgraph::NodeTopology node =
      commgraph::pus_of_node(commgraph::load_topology("package:2 numa:2 l3:2 core:4 pu:2"));
  const std::vector<predict::Pattern> patterns = informative_patterns(node, 12);
  const auto has = [&](const std::string& name) {
    return std::count(patterns.begin(), patterns.end(), predict::Pattern::parse(name)) == 1;
  };
  CHECK(has("1:1:1:1:1"));
  CHECK(has("2:2:2:4:2"));
  CHECK(has("2:2:2:4:1"));
  CHECK(has("1:1:1:4:1"));
  CHECK(has("2:2:2:1:1"));
}

TEST_CASE("a node with few patterns has all of them, each once") {
  const commgraph::NodeTopology two_cores = commgraph::load_topology("package:1 core:2 pu:1");
  CHECK(informative_patterns(two_cores, 12) == std::vector<predict::Pattern>{{1, 1, 1}, {1, 1, 2}});
  CHECK(informative_patterns(commgraph::load_topology("package:1 core:1 pu:1"), 12).size() == 1);
  CHECK(informative_patterns(two_by_four_by_four(), 100).size() ==
        predict::patterns_of(two_by_four_by_four()).size());
}

TEST_CASE("there are as many ranks as a full node has cores, on full nodes only") {
  const std::vector<TrainingPattern> placed =
      place_training({{1, 1, 1}, {2, 4, 4}, {1, 1, 3}}, two_by_four_by_four(), 100);
  CHECK(placed[0] == TrainingPattern{{1, 1, 1}, 32, 32});
  CHECK(placed[1] == TrainingPattern{{2, 4, 4}, 1, 32});
  CHECK(placed[2] == TrainingPattern{{1, 1, 3}, 10, 30});
}

TEST_CASE("on too few nodes there are as many ranks as fit") {
  const std::vector<TrainingPattern> placed =
      place_training({{1, 1, 1}, {2, 4, 4}, {1, 1, 3}}, two_by_four_by_four(), 1);
  CHECK(placed[0] == TrainingPattern{{1, 1, 1}, 1, 1});
  CHECK(placed[1] == TrainingPattern{{2, 4, 4}, 1, 32});
  CHECK(placed[2] == TrainingPattern{{1, 1, 3}, 1, 3});
}

TEST_CASE("a run's time follows the budget, within bounds") {
  CHECK(seconds_of_a_run({600}, 100).value == doctest::Approx((6 - 0.7) / 1.6));
  CHECK(seconds_of_a_run({1}, 100).value == doctest::Approx(0.2));
  CHECK(seconds_of_a_run({1e6}, 1).value == doctest::Approx(10));
  CHECK(seconds_of_a_run({10}, 0).value > 0);
}

}  // namespace
}  // namespace huddle::operations
