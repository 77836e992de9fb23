#include "aggregator/predict/pattern/rank_cores.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/aggregator/sample_runs.hpp"

namespace huddle {
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

TEST_CASE("ranks whose cores nobody can tell have one") {
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

TEST_CASE("a run with other cores for each rank is no sample, and it is said why") {
  const NodeTopology node = small_node();
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
}  // namespace huddle
