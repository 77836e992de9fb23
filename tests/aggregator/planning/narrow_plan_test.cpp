#include "aggregator/planning/detail/narrow_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "aggregator/planning/detail/plan_names.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/timed_runs.hpp"
#include "profiles/vocabulary/utc_time.hpp"
#include "tests/aggregator/recommend/tried_ranks.hpp"

namespace huddle {
namespace {

/// A site where the job of TriedRanks was measured as submitted, on eight nodes.
struct TriedSite : PlanningSite {
  TriedSite() {
    save_machine(tried.machine, request.machine);
    for (RankRecord& rank : measured.rank_records) rank.packed_regions.clear();
    put("20261125T000000.000Z-1.0-pid5.json", measured);
    request.cores_per_rank = 4;
    request.nodes = 8;
    request.packs_threads = request.packs_ranks = true;
  }
  // The run of a plan of two nodes, or of one, which tried fewer cores.
  void try_on(std::uint32_t nodes) const {
    Profile packed = tried.profile;
    for (std::uint32_t rank = 0; rank < 8; ++rank)
      packed.rank_records[rank].node = rank % nodes == 0 ? "n0" : "n1";
    put_packed("2.json", packed);
  }
  void put_packed(const std::string& name, const Profile& profile) const {
    save_profile(profile, store.make_folder(key_of(request)) / ("packed-" + name));
  }
  // Until ranks have fewer cores.
  Plan narrow_plan() const {
    try_on(decision().nodes);
    return load_plan(decision().plan_file);
  }
  // A run's time; the number of its job.
  std::uint64_t time(const Plan& plan, const std::string& pattern, std::uint32_t nodes,
                     double seconds) {
    ++job;
    store_timed_run(
        folder(), {"", plan.program.path, pattern, nodes},
        {job, std::to_string(job) + ".0",
         *parse_utc("2026-11-25T00:0" + std::to_string(job) + ":00Z"), Seconds{seconds}, ""});
    return job;
  }
  // A run of the plan whose ranks had teams of `threads` in each region.
  void run_with_teams(const Plan& plan, std::uint32_t threads) {
    const std::uint64_t number = time(plan, plan.chosen.pattern, plan.chosen.nodes, 100);
    Profile run = measured;
    for (RankRecord& rank : run.rank_records) {
      rank.node = "n0";
      rank.pus = PuSet::parse("0-1");
      rank.openmp_regions[0].smallest_team = rank.openmp_regions[0].largest_team = threads;
    }
    put_packed(fmt::format("20261125T000{0}00.000Z-{0}.0-pid5.json", number), run);
  }
  TriedRanks tried{1.0};
  Profile measured = tried.profile;
  std::uint64_t job = 2;
};

}  // namespace

TEST_CASE("the planner puts such a plan in place of the other, and goes on without asking again") {
  TriedSite site;
  const Decision wide = site.decision();
  CHECK(wide.action == Decision::Action::kApply);
  CHECK(wide.packed_cores_per_rank == 0);
  site.try_on(wide.nodes);
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
  site.time(narrow, "", 8, 100);
  site.time(narrow, narrow.chosen.pattern, narrow.chosen.nodes, 200);
  const Decision after = site.decision();
  CHECK(after.nodes == wide.nodes);
  CHECK(after.packed_cores_per_rank == 0);
  CHECK(after.reason.find("not with ranks on fewer cores: its plan is withdrawn") !=
        std::string::npos);
}

TEST_CASE("a run whose teams kept their size is looked at once, and its plan goes on") {
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  CHECK_FALSE(narrow.teams_kept);
  CHECK(known_answer(site.store, site.request));  // nothing has run yet
  site.run_with_teams(narrow, 4);
  CHECK_FALSE(known_answer(site.store, site.request));
  for (int i = 0; i < 2; ++i) {
    const Decision decision = site.decision();
    CHECK(decision.packed_cores_per_rank == 2);
    CHECK(load_plan(decision.plan_file).teams_kept);
    CHECK(known_answer(site.store, site.request));
  }
}

TEST_CASE("teams that had another size in a run with fewer cores are given all of them again") {
  TriedSite site;
  const Decision wide = site.decision();
  const Plan narrow = site.narrow_plan();
  REQUIRE(narrow.packed_cores_per_rank == 2);
  site.run_with_teams(narrow, 2);
  const std::string why =
      "; not with ranks on fewer cores: its plan is withdrawn: a team of rank 0 had 2 threads, in "
      "place of 4";
  site.request.dry_run = true;
  CHECK(site.decision().reason.ends_with(why));
  site.request.dry_run = false;
  for (int i = 0; i < 2; ++i) {
    const Decision after = site.decision();
    CHECK(after.packed_cores_per_rank == 0);
    CHECK(after.nodes == wide.nodes);
    CHECK(after.reason.ends_with(why));
    CHECK(known_answer(site.store, site.request));
  }
}

TEST_CASE("a team of one thread where there were four is another size, too") {
  TriedSite site;
  site.run_with_teams(site.narrow_plan(), 1);
  CHECK(site.decision().reason.ends_with("a team of rank 0 had 1 thread, in place of 4"));
}

TEST_CASE("a run of the plan that left half a profile says nothing of its teams") {
  TriedSite site;
  const Plan narrow = site.narrow_plan();
  site.measured.complete = false;
  site.run_with_teams(narrow, 2);
  CHECK(site.decision().packed_cores_per_rank == 2);
  CHECK_FALSE(load_plan(site.decision().plan_file).teams_kept);
}

TEST_CASE(
    "without trials, ranks get no fewer cores where no run shows what they do to each other") {
  TriedSite site;
  site.request.explore = Explore::kNo;
  site.request.samples = 1;
  site.try_on(8);
  CHECK(site.decision().packed_cores_per_rank == 0);
  CHECK(site.decision().packed_cores_per_rank == 0);
}

}  // namespace huddle
