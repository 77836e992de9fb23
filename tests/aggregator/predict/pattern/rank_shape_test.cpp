#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "aggregator/predict/pattern/placement.hpp"
#include "aggregator/predict/pattern/rank_shape.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/aggregator/sample_runs.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"

namespace huddle::predict {
namespace {

// The PUs of each slot, in order.
std::vector<std::string> slots(const std::string& topology, std::uint32_t cores) {
  const commgraph::NodeTopology node = commgraph::load_topology(topology);
  std::vector<std::string> lists;
  for (const commgraph::NodeTopology::Core& slot :
       slots_of_node(node, shape_of_rank(cores, node)).cores)
    lists.push_back(slot.pus.list());
  return lists;
}

using Lists = std::vector<std::string>;

TEST_CASE("a rank of one core sees the node as it is") {
  const commgraph::NodeTopology node = small_node();
  const commgraph::NodeTopology same = slots_of_node(node, shape_of_rank(1, node));
  CHECK(same.cores.size() == node.cores.size());
  CHECK(same.idle.empty());
  CHECK(name_on_cores({2, 1, 2}, {}) == "2:1:2");
  CHECK(slots_named({2, 1, 2}, {}) == Pattern{2, 1, 2});
}

TEST_CASE("ranks that fit in a die share it, and what is left over stays idle") {
  const std::string topology = "package:2 die:2 core:5 pu:1";
  CHECK(slots(topology, 2) ==
        Lists{"0-1", "2-3", "5-6", "7-8", "10-11", "12-13", "15-16", "17-18"});
  CHECK(slots(topology, 5) == Lists{"0-4", "5-9", "10-14", "15-19"});
  const commgraph::NodeTopology node = commgraph::load_topology(topology);
  const commgraph::NodeTopology of_two = slots_of_node(node, shape_of_rank(2, node));
  CHECK(of_two.packages == 2);
  CHECK(of_two.dies_per_package == 2);
  CHECK(of_two.cores_per_die == 2);
  REQUIRE(of_two.idle.size() == 4);
  CHECK(of_two.idle[1].pus.list() == "9");
  CHECK(of_two.idle[1].package == 0);
  CHECK(of_two.idle[1].die == 1);
}

TEST_CASE("with hardware threads a rank gets all of its cores' PUs") {
  CHECK(slots("package:1 die:1 core:4 pu:2", 2) == Lists{"0-3", "4-7"});
}

TEST_CASE("a rank that is larger than a die has whole dies, its cores spread evenly") {
  const std::string topology = "package:2 die:3 core:4 pu:1";
  CHECK(slots(topology, 8) == Lists{"0-7", "12-19"});
  CHECK(slots(topology, 5) == Lists{"0-2,4-5", "12-14,16-17"});
  CHECK(slots(topology, 12) == Lists{"0-11", "12-23"});
}

TEST_CASE("NUMA nodes stay a level for ranks that fit in one, and no rank straddles two") {
  const commgraph::NodeTopology node =
      commgraph::load_topology("package:1 numa:2 l3:3 core:2 pu:1");
  const commgraph::NodeTopology pairs = slots_of_node(node, shape_of_rank(2, node));
  CHECK(pairs.numa_per_package == 2);
  CHECK(pairs.dies_per_package == 6);
  const RankShape of_two_dies = shape_of_rank(4, node);
  const commgraph::NodeTopology slots = slots_of_node(node, of_two_dies);
  CHECK(slots.numa_per_package == 2);
  REQUIRE(slots.cores.size() == 2);
  CHECK(slots.cores[0].pus.list() == "0-3");
  CHECK(slots.cores[1].pus.list() == "6-9");
  CHECK(slots.idle.size() == 2);  // the third die of each
  CHECK(name_on_cores({1, 1, 1, 1, 2}, of_two_dies) == "1:2:2:2:1");
  CHECK(slots_named(Pattern::parse("1:2:2:2:1"), of_two_dies) == Pattern{1, 1, 1, 1, 2});
  CHECK(slots_of_node(node, shape_of_rank(8, node)).numa_per_package == 0);
}

TEST_CASE("a rank that is larger than a package has whole packages") {
  const std::string topology = "package:4 die:2 core:2 pu:1";
  CHECK(slots(topology, 8) == Lists{"0-7", "8-15"});
  CHECK(slots(topology, 6) == Lists{"0-4,6", "8-12,14"});
  CHECK(slots(topology, 16) == Lists{"0-15"});
}

TEST_CASE("a rank that no node can hold is refused") {
  CHECK(error_of<UsageError>([] { shape_of_rank(9, small_node()); }) ==
        "a rank of 9 cores does not fit on a node of 8 cores");
  CHECK(error_of<UsageError>([] { shape_of_rank(0, small_node()); }) ==
        "a rank of 0 cores does not fit on a node of 8 cores");
}

TEST_CASE("no slot shares a PU with another one, each has its cores, and the rest is idle") {
  for (const char* topology : {"package:2 die:2 core:2 pu:1", "package:2 die:3 core:5 pu:2",
                               "package:3 die:1 core:4 pu:1", "package:1 die:4 core:3 pu:1"}) {
    const commgraph::NodeTopology node = commgraph::load_topology(topology);
    const auto smt = static_cast<std::uint32_t>(node.cores[0].pus.size());
    for (std::uint32_t cores = 1; cores <= node.cores.size(); ++cores) {
      CAPTURE(topology);
      CAPTURE(cores);
      const commgraph::NodeTopology slots = slots_of_node(node, shape_of_rank(cores, node));
      CHECK(slots.cores.size() == slots.packages * slots.dies_per_package * slots.cores_per_die);
      REQUIRE_FALSE(slots.cores.empty());
      PuSet seen;
      std::size_t pus = 0;
      for (const commgraph::NodeTopology::Core& slot : slots.cores) {
        CHECK(slot.pus.size() == cores * smt);
        CHECK(slot.pus.contains(slot.first_pu));
        for (const std::uint32_t pu : slot.pus.members()) seen.add(pu);
        pus += slot.pus.size();
      }
      CHECK(seen.size() == pus);
      for (const commgraph::NodeTopology::Idle& idle : slots.idle) {
        for (const std::uint32_t pu : idle.pus.members()) seen.add(pu);
        pus += idle.pus.size();
      }
      CHECK(seen.size() == pus);
      CHECK(pus == node.cores.size() * smt);
    }
  }
}

TEST_CASE("a pattern's name counts cores, whatever ranks take, and leads back to the slots") {
  const RankShape of_two{2, 1, 1};
  CHECK(name_on_cores({2, 1, 2}, of_two) == "2:1:4");
  CHECK(slots_named({2, 1, 4}, of_two) == Pattern{2, 1, 2});
  const RankShape two_dies{7, 2, 1};
  CHECK(name_on_cores({1, 2, 1}, two_dies) == "1:4:4");
  CHECK(slots_named({1, 4, 4}, two_dies) == Pattern{1, 2, 1});
  const RankShape two_packages{16, 2, 2};
  CHECK(name_on_cores({1, 1, 1}, two_packages) == "2:2:4");
  CHECK(slots_named({1, 1, 1}, two_packages) == Pattern{1, 1, 1});
  CHECK(error_of<UsageError>([&] {
          slots_named({2, 1, 3}, of_two);
        }) ==
        "the pattern 2:1:3 does not hold whole ranks of 2 cores; the least that does is 1:1:2");
  CHECK_THROWS_AS(slots_named({1, 3, 4}, two_dies), UsageError);
}

TEST_CASE("a measured rank of several cores is in the die or the dies that a slot would be in") {
  Profile profile = run_of(1, 1);
  const auto location = [&](const std::string& pus, std::uint32_t cores) {
    profile.rank_records[0].pus = PuSet::parse(pus);
    const commgraph::NodeTopology node = commgraph::load_topology("package:2 die:2 core:3 pu:1");
    return measured_locations(profile, slots_of_node(node, shape_of_rank(cores, node))).front();
  };
  CHECK(location("9-10", 2).package == 1);
  CHECK(location("9-10", 2).die == 1);
  // One core of no slot, but of the same die.
  CHECK(location("10-11", 2).die == 1);
  CHECK(location("2-3", 2).die == Location::kSeveral);
  // Both dies of a package are one rank's.
  CHECK(location("6-10", 5).package == 1);
  CHECK(location("6-10", 5).die == 0);
  CHECK(location("0-11", 5).package == Location::kSeveral);
}

}  // namespace

namespace {

// Two ranks a node, with these PUs, that kept `busy` cores busy for 100 s.
Profile hybrid(const std::vector<std::string>& pus, double busy) {
  Profile profile = run_of(2 * static_cast<std::uint32_t>(pus.size()), 2);
  for (RankRecord& record : profile.rank_records) {
    record.pus = PuSet::parse(pus[record.rank.value % pus.size()]);
    record.cpu_time = Seconds{100 * busy};
  }
  return profile;
}

TEST_CASE("ranks of as many cores each, which they share with nobody and use, have so many") {
  CHECK(cores_of_each_rank(hybrid({"0-3", "4-7"}, 3.8), small_node()) == 4);
  CHECK(cores_of_each_rank(hybrid({"0-1", "6-7"}, 1.9), small_node()) == 2);
}

TEST_CASE("ranks whose number of cores is not known have one") {
  CHECK(cores_of_each_rank(hybrid({"0-7", "0-7"}, 3.8), small_node()) == 1);    // not bound
  CHECK(cores_of_each_rank(hybrid({"0-3", "4-6"}, 3.8), small_node()) == 1);    // not alike
  CHECK(cores_of_each_rank(hybrid({"0-3", "4-7"}, 1.0), small_node()) == 1);    // no threads
  CHECK(cores_of_each_rank(hybrid({"0-3", "80-83"}, 3.8), small_node()) == 1);  // another machine
  Profile alone = run_of(4, 1);
  for (RankRecord& record : alone.rank_records) {
    record.pus = PuSet::parse("0-7");
    record.cpu_time = Seconds{800};
  }
  CHECK(cores_of_each_rank(alone, small_node()) == 1);
}

TEST_CASE("how many cores ranks kept busy is their CPU time by their run time") {
  CHECK(busy_cores(hybrid({"0-3", "4-7"}, 3.5)).value() == doctest::Approx(3.5));
  CHECK_FALSE(busy_cores(run_of(4, 2)).has_value());
}

TEST_CASE("a run with other cores for each rank is no sample, and the reason is reported") {
  const commgraph::NodeTopology node = small_node();
  const Profile profile = hybrid({"0-3", "4-7"}, 3.8);
  CHECK(why_other_cores(profile, node, 4).empty());
  CHECK(why_other_cores(profile, node, 8) == "had ranks on 4 cores, and this job's have 8");
  CHECK(why_other_cores(profile, node, 2) ==
        "had ranks that kept 3.8 cores busy each, and this job's have 2");
  CHECK(why_other_cores(run_of(4, 2), node, 2) == "had ranks on 1 core, and this job's have 2");
  // OpenMP bound the thread that was asked; the others had cores of their own.
  CHECK(why_other_cores(hybrid({"0", "4"}, 3.8), node, 4).empty());
  // Unknown is no reason.
  CHECK(why_other_cores(run_of(4, 2), node, 1).empty());
  CHECK(why_other_cores(hybrid({"80-83", "90-93"}, 1), node, 2).empty());
}

}  // namespace

}  // namespace huddle::predict
