#include "aggregator/recommend/narrow_ranks.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/utc_time.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle {
namespace {

/// Eight ranks with teams of four threads on four cores each, one on each of eight nodes of 16
/// cores, which tried their region of 90 of 100 s on two cores, where it took `ratio` times as
/// long.
struct TriedRanks {
  explicit TriedRanks(double ratio) : machine(slow_machine()) {
    machine.topology = "package:2 die:2 core:4 pu:1";
    machine.power = PowerFigures{{10}, {0}, {5}, {3}, {2}, Origin::kGiven};
    for (RankRecord& rank : profile.rank_records) {
      rank.pus = PuSet::parse("0-3");
      rank.cpu_time = Seconds{300};
      const double pass = rank.computation_time().value * 0.009;
      OpenMpRegionRecord region;
      region.region = 7;
      region.passes = 100;
      region.mean = region.shortest = region.longest = Seconds{pass};
      region.smallest_team = region.largest_team = 4;
      rank.openmp_regions = {region};
      PackedRegionRecord packed;
      packed.region = 7;
      packed.team = 4;
      packed.cores = 2;
      packed.passes = 20;
      packed.mean = packed.shortest = packed.longest = Seconds{pass * ratio};
      packed.usual_passes = 80;
      packed.usual_mean = Seconds{pass};
      rank.packed_regions = {packed};
    }
    profile.shared.openmp_regions = {{7, "region at app+0x1"}};
  }
  [[nodiscard]] std::optional<NarrowStudy> study(double bound) const {
    const NodeTopology node = load_topology(machine.topology);
    const Recommender recommender(machine, node, 4);
    RecommendationOptions options;
    options.slowdown = bound;
    options.computation = ComputationMethod::kSimple;  // by hand
    const Recommendation wide =
        recommender.recommend({profile}, measured_reference(profile, recommender.slots()), options);
    return study_narrow_ranks({profile}, narrow_ranks_of(profile, 4), recommender, node, wide,
                              options);
  }
  Machine machine;
  Profile profile = run_of(8, 1);
};

}  // namespace

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

TEST_CASE("the planner puts such a plan in place of the other, and goes on without asking again") {
  PlanningSite site;
  const TriedRanks tried(1.0);
  save_machine(tried.machine, site.request.machine);
  Profile measured = tried.profile;
  for (RankRecord& rank : measured.rank_records) rank.packed_regions.clear();
  site.put("1.json", measured);
  site.request.cores_per_rank = 4;
  site.request.nodes = 8;
  site.request.packs_threads = site.request.packs_ranks = true;
  const Decision wide = site.decision();
  CHECK(wide.action == Decision::Action::kApply);
  CHECK(wide.packed_cores_per_rank == 0);
  // The run of that plan, which tried fewer cores.
  Profile packed = tried.profile;
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    packed.rank_records[rank].node = rank % wide.nodes == 0 ? "n0" : "n1";
  save_profile(packed, site.store.make_folder(key_of(site.request)) / "packed-2.json");
  CHECK_FALSE(known_answer(site.store, site.request));
  for (int i = 0; i < 2; ++i) {
    const Decision narrow = site.decision();
    CHECK(narrow.nodes < wide.nodes);
    CHECK(narrow.packed_cores_per_rank == 2);
    CHECK(narrow.teams.empty());
    CHECK(narrow.teams_reason == "each rank has 2 of its 4 cores");
    CHECK(narrow.untried);
    CHECK(load_plan(narrow.plan_file).packed_cores_per_rank == 2);
  }
  CHECK(known_answer(site.store, site.request));
  site.request.packs_ranks = false;
  CHECK(site.decision().nodes == wide.nodes);

  // A run of it that is slower than the bound.
  site.request.packs_ranks = true;
  const Plan narrow = load_plan(site.decision().plan_file);
  std::uint64_t job = 0;
  const auto time = [&](const std::string& pattern, std::uint32_t nodes, double seconds) {
    ++job;
    store_timed_run(
        site.folder(), {"", narrow.program.path, pattern, nodes},
        {job, std::to_string(job) + ".0",
         *parse_utc("2026-11-25T00:0" + std::to_string(job) + ":00Z"), Seconds{seconds}, ""});
  };
  time("", 8, 100);
  time(narrow.chosen.pattern, narrow.chosen.nodes, 200);
  const Decision after = site.decision();
  CHECK(after.nodes == wide.nodes);
  CHECK(after.packed_cores_per_rank == 0);
  CHECK(after.reason.find("not with ranks on fewer cores: its plan is withdrawn") !=
        std::string::npos);
}

}  // namespace huddle
