// A job's answers after its plan was broken, where the packed run left a profile.

#include "aggregator/planning/detail/life/current_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "aggregator/planning/planner.hpp"
#include "profiles/store/timed_runs.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

/// A site where a program was measured on 8 nodes, and on 2, one of whose packages held 4 ranks,
/// and where runs as submitted take 1000 s.
struct RevisingSite : MeasuredSite {
  RevisingSite() {
    Profile profile = run_of(8, 4, 1004);
    profile.executable = "/home/ann/app";
    profile.script = "abc";
    put("2.json", profile);
    time({"abc", "/home/ann/app", "", 8}, 1000);
  }

  /// A run by the plan, whose profile shows that its computation took so long.
  void run_packed(const Plan& plan, double seconds, bool leaves_profile = true) {
    time({"abc", "/home/ann/app", plan.chosen.pattern, plan.chosen.nodes}, seconds);
    if (!leaves_profile) return;
    Profile profile = run_of(8, plan.chosen.ranks_per_node, seconds);
    for (std::uint32_t rank = 0; rank < 8; ++rank) {
      profile.rank_records[rank].pus = plan.placement[rank].pus;
      profile.rank_records[rank].node = fmt::format("node{}", plan.placement[rank].node.value);
    }
    profile.executable = "/home/ann/app";
    profile.script = "abc";
    profile.slurm_job_id = job;
    save_profile(profile,
                 std::filesystem::path(folder()) /
                     fmt::format("packed-20261125T00{:02}00.000Z-{}.0-pid7.json", job, job));
  }

  void time(const store::TimedLayout& layout, double seconds) {
    ++job;
    store::store_timed_run(
        folder(), layout,
        {job, fmt::format("{}.0", job), *parse_utc(fmt::format("2026-11-25T00:{:02}:00Z", job)),
         Seconds{seconds}, ""});
  }

  std::uint64_t job = 0;
};

TEST_CASE("after a broken promise the next plan takes the packed run into account") {
  RevisingSite site;
  const JobAnswer made = site.answer();
  const Plan first = *made.plan;
  const std::filesystem::path first_file = made.decision.plan_file;
  REQUIRE(first.chosen.nodes == 1);
  site.run_packed(first, 1400);
  const JobAnswer second = site.answer();
  REQUIRE(second.decision.action == Action::kApply);
  CHECK(second.decision.untried);
  CHECK(second.decision.nodes > 1);
  CHECK(second.plan->chosen.pattern != first.chosen.pattern);
  CHECK(second.plan->made_from.size() == first.made_from.size() + 1);
  CHECK(second.decision.reason.ends_with(
      fmt::format("; {} is withdrawn, as its packed runs were slower than the bound allows",
                  first.chosen.pattern)));

  SUBCASE(
      "which is stored, reached by way of the first one, and followed while it keeps its promise") {
    CHECK(answer_file(site.store, site.request) == second.decision.plan_file);
    CHECK(std::filesystem::exists(first_file));
    CHECK(site.decision().plan_file == second.decision.plan_file);
    site.run_packed(*second.plan, 1010);
    CHECK(site.decision().plan_file == second.decision.plan_file);
    CHECK_FALSE(site.decision().untried);
  }
  SUBCASE("and which is withdrawn in its turn") {
    site.run_packed(*second.plan, 1400);
    const JobAnswer third = site.answer();
    CHECK(third.decision.action == Action::kLeave);
    CHECK(third.decision.compared);
    CHECK(third.decision.reason.starts_with("its plan is withdrawn: 1 packed run took +40.0 %"));
  }
  SUBCASE("and no more, once runs as submitted show that it was bad luck") {
    for (int i = 0; i < 12; ++i) site.time({"abc", "/home/ann/app", "", 8}, 1390);
    CHECK(site.decision().nodes == 1);
  }
}

TEST_CASE("a program that breaks one plan after the other is left as submitted in the end") {
  RevisingSite site;
  int packed = 0;
  for (; packed < 20 && site.decision().action == Action::kApply; ++packed)
    site.run_packed(*site.answer().plan, 2000);
  CHECK(packed == 2);
  CHECK(site.decision().compared);
}

TEST_CASE("without a profile of the packed run there is no other plan") {
  RevisingSite site;
  site.run_packed(*site.answer().plan, 1400, false);
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason.starts_with("its plan is withdrawn"));
}

TEST_CASE("profiles of packed runs are no samples while promises are kept") {
  RevisingSite site;
  const JobAnswer first = site.answer();
  site.run_packed(*first.plan, 1000);
  CHECK(site.answer().plan->made_from == first.plan->made_from);
  CHECK(site.decision().plan_file == first.decision.plan_file);
}

TEST_CASE("a packed run's profile that can't be read is passed over") {
  RevisingSite site;
  const Plan first = *site.answer().plan;
  site.run_packed(first, 1400, false);
  store::put_file(
      fmt::format("{}/packed-20261125T000200.000Z-{}.0-pid7.json", site.folder(), site.job), "{");
  const JobAnswer second = site.answer();
  CHECK(second.plan->chosen.pattern != first.chosen.pattern);
  CHECK(second.plan->made_from.size() == first.made_from.size());
}

}  // namespace
}  // namespace huddle::planning
