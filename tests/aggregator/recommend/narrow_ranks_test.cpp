#include "aggregator/recommend/narrow_ranks.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "tests/aggregator/recommend/tried_ranks.hpp"

namespace huddle {

TEST_CASE("a rank's computation is stretched by what its regions took on fewer cores, by time") {
  const std::vector<NarrowRanks> ranks = narrow_ranks_of(TriedRanks(1.1).profile, 4);
  REQUIRE(ranks.size() == 1);  // nothing was tried on one core
  CHECK(ranks[0].cores == 2);
  REQUIRE(ranks[0].stretch.size() == 8);
  for (const double stretch : ranks[0].stretch) CHECK(stretch == doctest::Approx(1.09));
  CHECK(ranks[0].error == doctest::Approx(0.01));
}

TEST_CASE("ranks whose regions were not all measured, or whose teams have other sizes, stay wide") {
  TriedRanks tried(1);
  SUBCASE("a region that was tried on no fewer cores") {
    for (RankRecord& rank : tried.profile.rank_records) {
      OpenMpRegionRecord other = rank.openmp_regions[0];
      other.region = 8;
      other.passes = 5;
      rank.openmp_regions.push_back(other);
    }
  }
  SUBCASE("a team of two on four cores") {
    for (RankRecord& rank : tried.profile.rank_records)
      rank.openmp_regions[0].smallest_team = rank.openmp_regions[0].largest_team = 2;
  }
  SUBCASE("teams of several sizes") {
    tried.profile.rank_records[3].openmp_regions[0].smallest_team = 1;
  }
  SUBCASE("cut short") {
    tried.profile.complete = false;
  }
  SUBCASE("spread over two packages") {
    for (RankRecord& rank : tried.profile.rank_records) rank.packed_regions[0].packages = 2;
  }
  CHECK(narrow_ranks_of(tried.profile, 4).empty());
}

TEST_CASE(
    "where half of the cores do, eight ranks of four cores are planned onto one node, not two") {
  const auto study = TriedRanks(1.0).study(0.05);
  REQUIRE(study);
  const Plan& plan = study->plan;
  CHECK(study->recommendation.reference_forecast.nodes == 8);
  CHECK(plan.chosen.nodes == 1);
  CHECK(plan.chosen.pattern == "2:2:4");
  CHECK(plan.cores_per_rank == 4);
  CHECK(plan.packed_cores_per_rank == 2);
  CHECK(plan.trial);  // nothing shows how eight ranks slow each other down
  CHECK(plan.reason.ends_with("each rank on 2 of its 4 cores, its teams keep their size"));
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;
  for (const RankPlace& place : plan.placement) {
    CHECK(place.pus.size() == 2);
    for (const std::uint32_t pu : place.pus.members())
      CHECK(used.insert({place.node.value, pu}).second);
  }
  // One node with all that it has: 10 + 2 x 5 + 4 x 3 + 16 x 2 W.
  CHECK(plan.chosen.energy->value == doctest::Approx(plan.chosen.time.value * 64));
}

TEST_CASE(
    "a stretch beyond the bound, with its error, makes no plan, and one within it is in its time") {
  CHECK_FALSE(TriedRanks(1.10).study(0.05));
  CHECK_FALSE(TriedRanks(1.05).study(0.05));  // 4.5 %, and one of error
  const auto study = TriedRanks(1.03).study(0.05);
  REQUIRE(study);
  CHECK(study->plan.chosen.slowdown == doctest::Approx(0.027).epsilon(0.05));
}

TEST_CASE(
    "without a run that shows it, ranks are planned onto fewer cores only where that may be "
    "tried") {
  const TriedRanks tried(1.0);
  CHECK(tried.study(0.05));
  CHECK_FALSE(tried.study(0.05, true));
}

TEST_CASE("a narrowed run has its ranks on the first of their cores, and waits for the longest") {
  TriedRanks tried(1.1);
  NarrowRanks narrow{2, std::vector<double>(8, 1.0), 0};
  narrow.stretch[5] = 1.5;
  const Profile made = narrowed(tried.profile, narrow, 4, load_topology(tried.machine.topology));
  const Seconds before = tried.profile.rank_records[5].computation_time();
  CHECK(made.rank_records[5].pus.list() == "0-1");
  CHECK(made.rank_records[5].computation_time().value == doctest::Approx(before.value * 1.5));
  CHECK(made.run_time().value ==
        doctest::Approx(tried.profile.run_time().value + before.value * 0.5));
  CHECK(made.rank_records[0].computation_time().value == doctest::Approx(before.value));
}

TEST_CASE("passes that the run itself acted on count as they would have been as started") {
  const TriedRanks as_started(2.0);
  TriedRanks acted(2.0);
  for (RankRecord& rank : acted.profile.rank_records) {
    OpenMpRegionRecord& region = rank.openmp_regions[0];
    PackedRegionRecord& packed = rank.packed_regions[0];
    // Of a hundred passes, sixty took twice as long.
    packed.acted_passes = 60;
    packed.acted_mean = packed.mean;
    rank.run_time += region.mean * 60.0;
    region.mean = region.mean * 1.6;
  }
  const auto expected = narrow_ranks_of(as_started.profile, 4);
  const auto found = narrow_ranks_of(acted.profile, 4);
  REQUIRE(expected.size() == 1);
  REQUIRE(found.size() == 1);
  CHECK(expected[0].stretch[3] == doctest::Approx(1.9));
  CHECK(found[0].stretch[3] == doctest::Approx(1.9));
}

}  // namespace huddle
