#include "aggregator/predict/pattern/pattern.hpp"

#include <doctest/doctest.h>

#include <set>

#include "commgraph/topology/smt_node.hpp"

#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

std::vector<std::string> names_of(const std::string& topology) {
  std::vector<std::string> names;
  for (const Pattern& pattern : patterns_of(commgraph::load_topology(topology)))
    names.push_back(pattern.name());
  return names;
}

std::vector<std::string> slot_lists(const Pattern& pattern, const std::string& topology) {
  std::vector<std::string> lists;
  for (const PuSet& slot : slots_of(pattern, commgraph::load_topology(topology)))
    lists.push_back(slot.list());
  return lists;
}

using Names = std::vector<std::string>;

TEST_CASE("the patterns of a node are all that fit, ascending") {
  CHECK(names_of("package:2 die:2 core:2 pu:1") ==
        Names{"1:1:1", "1:1:2", "1:2:1", "1:2:2", "2:1:1", "2:1:2", "2:2:1", "2:2:2"});
  CHECK(names_of("package:1 core:3 pu:2") == Names{"1:1:1", "1:1:2", "1:1:3"});
  CHECK(names_of("package:1 die:1 core:1 pu:1") == Names{"1:1:1"});
  CHECK(names_of("package:2 l3:4 core:8 pu:1").size() == 2 * 4 * 8);
}

TEST_CASE("NUMA nodes that hold several dies are a level of the patterns") {
  CHECK(names_of("package:1 numa:2 l3:2 core:2 pu:2") ==
        Names{"1:1:1:1:1", "1:1:1:2:1", "1:1:2:1:1", "1:1:2:2:1", "1:2:1:1:1", "1:2:1:2:1",
              "1:2:2:1:1", "1:2:2:2:1"});
  CHECK(names_of("package:2 numa:4 l3:2 core:8 pu:1").size() == 2 * 4 * 2 * 8);
}

TEST_CASE("a node of PUs has patterns with several ranks on each core as well") {
  std::vector<std::string> names;
  for (const Pattern& pattern :
       patterns_of(commgraph::pus_of_node(commgraph::load_topology("package:1 core:2 pu:2"))))
    names.push_back(pattern.name());
  CHECK(names == Names{"1:1:1", "1:1:1:2", "1:1:2", "1:1:2:2"});
}

TEST_CASE("a pattern knows how many ranks a node takes and how many nodes that makes") {
  const Pattern pattern{2, 1, 2};
  CHECK(pattern.ranks_per_node() == 4);
  CHECK(pattern.nodes_for(1) == 1);
  CHECK(pattern.nodes_for(4) == 1);
  CHECK(pattern.nodes_for(5) == 2);
  CHECK(pattern.nodes_for(16) == 4);
  CHECK(pattern.nodes_for(17) == 5);
}

TEST_CASE("a pattern is read as it is written") {
  CHECK(Pattern::parse("2:1:2") == Pattern{2, 1, 2});
  CHECK(Pattern::parse("1:1:1024").name() == "1:1:1024");
  CHECK(Pattern::parse("2:1:4:2") == Pattern{2, 1, 4, 2});
  CHECK(Pattern::parse("2:1:4:2").ranks_per_node() == 16);
  CHECK(Pattern::parse("2:1:4:1").name() == "2:1:4");
  CHECK(Pattern::parse("2:4:1:8:1") == Pattern{2, 1, 8, 1, 4});
  CHECK(Pattern::parse("2:4:1:8:1").name() == "2:4:1:8:1");
  CHECK(Pattern::parse("2:4:1:8:1").ranks_per_node() == 64);
}

TEST_CASE("what is no pattern is refused by name") {
  for (const std::string text : {"",
                                 "2",
                                 "2:1",
                                 "2:1:",
                                 ":1:2",
                                 "2::2",
                                 "2:1:2:0",
                                 "2:1:2:1:1:1",
                                 "0:1:1",
                                 "2:0:1",
                                 "2:1:0",
                                 "-1:1:1",
                                 "2:1:2 ",
                                 " 2:1:2",
                                 "2:1:x",
                                 "2,1,2",
                                 "1025:1:1",
                                 "4294967297:1:1",
                                 "99999999999999999999:1:1",
                                 "1:1:1\n"}) {
    CAPTURE(text);
    CHECK(error_of<UsageError>([&] { Pattern::parse(text); }) ==
          "\"" + shortened(text) +
              "\" is not a pattern: it is packages:dies:cores, each 1 or more, such as 2:1:2 (or "
              "4 or 5 numbers, as huddle recommend names those of deeper nodes)");
  }
}

TEST_CASE("the widest pattern takes packages first, then dies, then cores") {
  const commgraph::NodeTopology node = small_node();
  const Names expected = {"1:1:1", "2:1:1", "2:2:1", "2:2:1", "2:2:2", "2:2:2", "2:2:2", "2:2:2"};
  for (std::uint32_t ranks = 1; ranks <= 8; ++ranks) {
    CAPTURE(ranks);
    const Pattern pattern = widest_pattern(node, ranks);
    CHECK(pattern.name() == expected[ranks - 1]);
    CHECK(pattern.ranks_per_node() >= ranks);
  }
}

TEST_CASE("the widest pattern takes NUMA nodes before dies, and cores before a second PU") {
  const commgraph::NodeTopology node =
      commgraph::pus_of_node(commgraph::load_topology("package:1 numa:2 l3:2 core:2 pu:2"));
  const Names expected = {"1:1:1:1:1", "1:2:1:1:1", "1:2:2:1:1", "1:2:2:1:1", "1:2:2:2:1",
                          "1:2:2:2:1", "1:2:2:2:1", "1:2:2:2:1", "1:2:2:2:2"};
  for (std::uint32_t ranks = 1; ranks <= expected.size(); ++ranks)
    CHECK(widest_pattern(node, ranks).name() == expected[ranks - 1]);
}

TEST_CASE("Slurm spreads ranks over packages, and fills a package's cores in their order") {
  const commgraph::NodeTopology node = small_node();
  CHECK(layout_by_slurm(node, 1)->name() == "1:1:1");
  CHECK(layout_by_slurm(node, 2)->name() == "2:1:1");
  CHECK(layout_by_slurm(node, 4)->name() == "2:1:2");
  CHECK(layout_by_slurm(node, 8)->name() == "2:2:2");
  for (const std::uint32_t ranks : {3U, 5U, 9U}) CHECK_FALSE(layout_by_slurm(node, ranks));
}

TEST_CASE("a pattern without NUMA nodes gets them where it can fill them evenly") {
  const commgraph::NodeTopology node =
      commgraph::load_topology("package:2 numa:2 l3:2 core:4 pu:1");
  CHECK(on_levels_of(node, {2, 1, 4}).name() == "2:1:1:4:1");
  CHECK(on_levels_of(node, {2, 4, 1}).name() == "2:2:2:1:1");
  CHECK(on_levels_of(node, {2, 3, 1}).name() == "2:3:1");
  CHECK(on_levels_of(node, {1, 2, 1, 1, 2}).name() == "1:2:2:1:1");
  CHECK(on_levels_of(small_node(), {2, 2, 1}).name() == "2:2:1");
}

TEST_CASE("more ranks than cores have no pattern, and neither has none at all") {
  CHECK(error_of<UsageError>([] { widest_pattern(small_node(), 9); }) ==
        "9 ranks do not fit on a node that has room for 8");
  CHECK(error_of<UsageError>([] { widest_pattern(small_node(), 0); }) ==
        "0 ranks do not fit on a node that has room for 8");
}

TEST_CASE("slots are the pattern's cores, innermost level first, each with all its PUs") {
  const std::string smt = "package:2 die:2 core:2 pu:2";
  CHECK(slot_lists({1, 1, 1}, smt) == Names{"0-1"});
  CHECK(slot_lists({1, 1, 2}, smt) == Names{"0-1", "2-3"});
  CHECK(slot_lists({1, 2, 1}, smt) == Names{"0-1", "4-5"});
  CHECK(slot_lists({2, 1, 1}, smt) == Names{"0-1", "8-9"});
  CHECK(slot_lists({2, 1, 2}, smt) == Names{"0-1", "2-3", "8-9", "10-11"});
  CHECK(slot_lists({2, 2, 2}, smt) ==
        Names{"0-1", "2-3", "4-5", "6-7", "8-9", "10-11", "12-13", "14-15"});
}

TEST_CASE("slots of NUMA nodes are in the first dies of each") {
  const std::string numa = "package:1 numa:2 l3:2 core:2 pu:1";
  CHECK(slot_lists({1, 1, 2, 1, 2}, numa) == Names{"0", "1", "4", "5"});
  CHECK(slot_lists({1, 2, 1, 1, 1}, numa) == Names{"0", "2"});
  CHECK(slot_lists({1, 3, 1}, numa) == Names{"0", "2", "4"});  // not said which
}

TEST_CASE("slots of a node of PUs are PUs, those of a core together") {
  const commgraph::NodeTopology node =
      commgraph::pus_of_node(commgraph::load_topology("package:1 die:2 core:2 pu:2"));
  Names lists;
  for (const PuSet& slot : slots_of({1, 2, 1, 2}, node)) lists.push_back(slot.list());
  CHECK(lists == Names{"0", "1", "4", "5"});
  lists.clear();
  for (const PuSet& slot : slots_of({1, 1, 2, 1}, node)) lists.push_back(slot.list());
  CHECK(lists == Names{"0", "2"});
}

TEST_CASE("a pattern that the node lacks has no slots") {
  CHECK(error_of<UsageError>([] {
          slots_of({1, 1, 3}, small_node());
        }) == "the pattern 1:1:3 does not fit on a node of 2:2:2");
  CHECK_THROWS_AS(slots_of({1, 1, 1, 2}, small_node()), UsageError);
  CHECK_THROWS_AS(slots_of({1, 1, 1, 1, 2}, small_node()), UsageError);
  CHECK_THROWS_AS(slots_of({3, 1, 1}, small_node()), UsageError);
  CHECK_THROWS_AS(slots_of({1, 3, 1}, small_node()), UsageError);
}

TEST_CASE("no pattern gives a core twice") {
  for (const commgraph::NodeTopology& node :
       {commgraph::load_topology("package:3 l3:2 core:4 pu:2"),
        commgraph::load_topology("package:2 numa:3 l2:2 core:3 pu:1"),
        commgraph::pus_of_node(commgraph::load_topology("package:2 numa:2 l3:2 core:2 pu:4"))})
    for (const Pattern& pattern : patterns_of(node)) {
      CAPTURE(pattern.name());
      std::set<std::uint32_t> seen;
      const std::vector<PuSet> slots = slots_of(pattern, node);
      CHECK(slots.size() == pattern.ranks_per_node());
      for (const PuSet& slot : slots)
        for (const std::uint32_t pu : slot.members()) CHECK(seen.insert(pu).second);
    }
}

TEST_CASE("the mapper's machine has the pattern's cores and nothing else") {
  const commgraph::Hierarchy hierarchy = hierarchy_of({2, 1, 2}, 3);
  CHECK(hierarchy.cores() == 12);
  CHECK(hierarchy.nodes() == 3);
  CHECK(hierarchy.distance(0, 1) == 1);     // one die
  CHECK(hierarchy.distance(0, 2) == 100);   // the other package of the node
  CHECK(hierarchy.distance(3, 4) == 1000);  // the next node
}

TEST_CASE("the mapper's machine has a level for NUMA nodes and PUs where the pattern has them") {
  const commgraph::Hierarchy hierarchy = hierarchy_of({1, 1, 2, 2, 2}, 3);
  CHECK(hierarchy.cores() == 24);
  CHECK(hierarchy.distance(0, 1) == 1);       // one core
  CHECK(hierarchy.distance(0, 2) == 10);      // one die
  CHECK(hierarchy.distance(0, 4) == 1000);    // the other NUMA node
  CHECK(hierarchy.distance(0, 8) == 100000);  // the next node
}

TEST_CASE("a pattern of five numbers, or four, fits a hierarchy of as many levels and the nodes") {
  const auto arities = [](const std::string& whole, const std::string& pattern) {
    const commgraph::Hierarchy part =
        part_of(commgraph::Hierarchy::parse(whole, whole), Pattern::parse(pattern));
    return std::vector(part.arities().begin(), part.arities().end());
  };
  using Arities = std::vector<std::uint32_t>;
  CHECK(arities("2:4:2:2:8", "1:2:3:1") == Arities{1, 3, 2, 1, 8});
  CHECK(arities("2:4:2:2:8", "1:2:3:2") == Arities{2, 3, 2, 1, 8});
  CHECK(arities("4:2:3:2:8", "1:3:2:4:1") == Arities{4, 2, 3, 1, 8});
  CHECK(arities("2:4:2:3:2:8", "1:3:2:4:1") == Arities{1, 4, 2, 3, 1, 8});
  CHECK(error_of<UsageError>([&] { arities("2:4:2:2:8", "1:3:1:2"); }) ==
        "there is no pattern 1:3:1:2 on nodes of 2:2:4:2");
}

TEST_CASE("a pattern uses a part of each node of a machine, at the machine's distances") {
  const commgraph::Hierarchy whole = commgraph::Hierarchy::parse("4:2:2:3", "1:2:3:4");
  const commgraph::Hierarchy part = part_of(whole, {2, 1, 3});
  CHECK(std::vector(part.arities().begin(), part.arities().end()) ==
        std::vector<std::uint32_t>{3, 1, 2, 3});
  CHECK(part.largest_distance() == 4);
  CHECK(error_of<UsageError>([&] {
          part_of(whole, {1, 3, 1});
        }) == "there is no pattern 1:3:1 on nodes of 2 packages x 2 dies x 4 cores");
}

TEST_CASE("distances are the nanoseconds of 8 KiB over each link, and never 0") {
  Machine machine = slow_machine();
  machine.links[0] = {{1e-6}, {8.192e9}, Origin::kGiven};
  machine.links[1] = {{0}, {1e30}, Origin::kGiven};
  const std::vector<std::uint64_t> distances = distances_of(machine);
  REQUIRE(distances.size() == kDistances);
  CHECK(distances[0] >= 2000);
  CHECK(distances[0] <= 2001);
  CHECK(distances[1] == 1);
}

}  // namespace
}  // namespace huddle::predict
