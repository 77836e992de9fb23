#include "aggregator/planning/detail/life/plan_promises.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "aggregator/planning/planner.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/store/timed_runs.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle::planning {
namespace {

using Action = Decision::Action;

/// A site where a program was measured, so that there is a plan for it, and runs of both kinds.
struct TimedSite : MeasuredSite {
  void run(const Plan& plan, bool packed, double seconds, const std::string& build_id = "") {
    store::TimedLayout layout{"abc", "/home/ann/app", "", 8};
    if (packed) {
      layout.pattern = plan.chosen.pattern;
      layout.nodes = plan.chosen.nodes;
    }
    ++job;
    store::store_timed_run(
        folder(), layout,
        {job, fmt::format("{}.0", job),
         *parse_utc(fmt::format("2026-11-25T00:{:02}:00Z", ++minute)), Seconds{seconds}, build_id});
  }
  std::uint64_t job = 0;
  int minute = 0;
};

TEST_CASE("a plan whose run was slower than its bound allows is withdrawn, and says by how much") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  REQUIRE(site.decision().action == Action::kApply);
  site.run(plan, false, 1000);
  CHECK(site.decision().action == Action::kApply);
  site.run(plan, true, 1310);
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kLeave);
  CHECK(decision.compared);
  CHECK(decision.reason.starts_with("its plan is withdrawn: 1 packed run took +31.0 % time ("));
  CHECK(decision.reason.find("5 % is the bound") != std::string::npos);
  site.run(plan, false, 1000);
  site.run(plan, false, 1005);
  site.run(plan, false, 995);
  CHECK(site.decision().action == Action::kLeave);
  site.request.withdraw = false;
  CHECK(site.decision().action == Action::kApply);
}

TEST_CASE("no figure of a withdrawn plan is minus zero") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  site.run(plan, false, 1000);
  site.run(plan, true, 1310);
  Plan exact = plan;
  exact.chosen.slowdown = -0.0001;
  const PlanVerdict verdict = verdict_on(exact, site.folder() + "/plan.json", site.request);
  REQUIRE(verdict.state == PlanState::kWithdrawn);
  CHECK(words_of(verdict, site.request)
            .find("where +0.0 % was predicted for app and 5 % is the bound") != std::string::npos);
}

TEST_CASE("a plan is untried until a job that followed it has ended") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  CHECK(site.decision().untried);
  site.run(plan, false, 1000);
  CHECK(site.decision().untried);
  site.run(plan, true, 1000);
  CHECK_FALSE(site.decision().untried);
}

TEST_CASE("a plan is unconfirmed for a program that was built anew, until that has run packed") {
  TimedSite site;
  Plan plan = *site.answer().plan;
  const std::filesystem::path file = site.folder() + "/plan.json";
  const std::string own = std::filesystem::read_symlink("/proc/self/exe");
  const std::string build = executables::build_id_of_file(own);
  if (build.empty()) return;  // a linker that writes none
  plan.program = {own, build};
  CHECK(verdict_on(plan, file, site.request).state == PlanState::kUntried);
  plan.program.build_id = "0123456789abcdef";
  CHECK(verdict_on(plan, file, site.request).state == PlanState::kUnconfirmed);
  CHECK(packed_runs_of(verdict_on(plan, file, site.request), site.request)
            .starts_with(fmt::format("unconfirmed, as {} was built anew",
                                     std::filesystem::path(own).filename().string())));
  const store::TimedLayout layout{"abc", own, plan.chosen.pattern, plan.chosen.nodes};
  const store::TimedRun run{77, "77.0", *parse_utc("2026-11-25T01:00:00Z"), Seconds{1000}, build};
  store::store_timed_run(site.folder(), layout, run);
  CHECK(verdict_on(plan, file, site.request).state == PlanState::kFollowed);
}

TEST_CASE("nobody waits for a first run where plans are not withdrawn") {
  TimedSite site;
  site.request.withdraw = false;
  CHECK(site.decision().action == Action::kApply);
  CHECK_FALSE(site.decision().untried);
}

TEST_CASE("a plan that is made anew for another limit does not try what was withdrawn") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  site.run(plan, false, 1000);
  site.run(plan, true, 1310);
  site.request.time_limit = Seconds{100'000};
  const Decision decision = site.decision();
  CHECK(decision.action == Action::kLeave);
  CHECK(decision.reason.starts_with("its plan is withdrawn: 1 packed run took +31.0 % time ("));
}

TEST_CASE("a plan that was kept says how well") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  site.run(plan, false, 1000);
  site.run(plan, true, 1001);
  site.run(plan, true, 1003);
  CHECK(site.decision().action == Action::kApply);
  CHECK(site.decision().reason.find("; 2 packed runs took +0.2 % time (") != std::string::npos);
}

TEST_CASE("runs of another build, script or number of nodes say nothing of this plan") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  site.run(plan, false, 1000);
  site.run(plan, true, 2000);
  REQUIRE(site.decision().action == Action::kLeave);
  site.request.script = "another";
  CHECK(site.decision().action == Action::kMeasure);
  site.request.script = "abc";
  site.request.nodes = 4;
  CHECK(site.decision().action == Action::kApply);
}

/// Runs of such a site that differ from others in one thing.
struct OddRuns : TimedSite {
  OddRuns() : plan(*answer().plan) {}
  void run_as(const store::TimedLayout& as, double seconds, int status = 0) {
    ++job;
    store::store_timed_run(folder(), as,
                           {job, fmt::format("{}.0", job),
                            *parse_utc(fmt::format("2026-11-25T00:{:02}:00Z", ++minute)),
                            Seconds{seconds}, as.build_id, status});
  }
  [[nodiscard]] store::TimedLayout packed() const {
    return {"abc", "/home/ann/app", plan.chosen.pattern, plan.chosen.nodes};
  }
  [[nodiscard]] store::TimedLayout submitted() const { return {"abc", "/home/ann/app", "", 8}; }
  Plan plan;
};

TEST_CASE("a program that always ends with another status is compared by runs that do") {
  OddRuns site;
  site.run_as(site.submitted(), 1000, 7);
  CHECK(site.decision().untried);
  site.run_as(site.packed(), 1310, 7);
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().reason.starts_with("its plan is withdrawn: 1 packed run took +31.0 %"));
}

TEST_CASE("a run that ended in another way than runs as submitted says nothing of the plan") {
  OddRuns site;
  site.run_as(site.submitted(), 1000);
  site.run_as(site.packed(), 3000, 143);
  CHECK(site.decision().action == Action::kApply);
  CHECK(site.decision().untried);
  // One whose program ends with whatever status has been tried all the same.
  OddRuns any;
  any.run_as(any.submitted(), 1000, 7);
  any.run_as(any.packed(), 3000, 8);
  CHECK(any.decision().action == Action::kApply);
  CHECK_FALSE(any.decision().untried);
}

TEST_CASE("a program that each job copies to a folder of its own is one program") {
  OddRuns site;
  store::TimedLayout copied = site.submitted();
  copied.program = "/tmp/job.%j/app";
  copied.build_id = "0123";
  site.run_as(copied, 1000);
  copied = site.packed();
  copied.program = "/tmp/job.%j/app";
  copied.build_id = "0123";
  site.run_as(copied, 1310);
  CHECK(site.decision().action == Action::kLeave);
  copied.program = "/tmp/job.%j/app";
  copied.build_id = "4567";  // built anew
  site.run_as(copied, 1000);
  CHECK(site.decision().action == Action::kApply);
  CHECK(site.decision().reason.find("; 1 packed run took +0.0 % time (") != std::string::npos);
}

TEST_CASE("jobs that ask for their clocks are compared with jobs that ask for the same") {
  OddRuns site;
  site.run_as(site.submitted(), 1000);
  site.request.frequencies = FrequencyRange{{1e9}, {2e9}};
  site.request.sets_frequencies = true;
  site.plan = *site.answer().plan;
  store::TimedLayout packed = site.packed();
  packed.clocks = compared_clocks(site.request);
  REQUIRE(packed.clocks == "1000000-2000000 kHz");
  CHECK(site.decision().untried);
  site.run_as(packed, 1310);
  CHECK(site.decision().action == Action::kLeave);
  CHECK(site.decision().compared);
  CHECK(site.decision().reason ==
        "this run is compared with its plan: 1 packed run has no run as submitted to be compared "
        "with that had the clocks which the job asks for (1000000-2000000 kHz)");
  store::TimedLayout submitted = site.submitted();
  submitted.clocks = packed.clocks;
  site.run_as(submitted, 1300);
  CHECK(site.decision().action == Action::kApply);
  CHECK_FALSE(site.decision().untried);
  site.request.check_every = 0;
  CHECK(site.decision().action == Action::kApply);
}

TEST_CASE("steps of one job count once, by their mean") {
  TimedSite site;
  const Plan plan = *site.answer().plan;
  site.run(plan, false, 1000);
  for (const double seconds : {900.0, 1100.0, 1000.0}) {
    site.run(plan, true, seconds);
    site.job = 1;  // the next one is of the same job, as far as its number says
  }
  CHECK(site.decision().reason.find("1 packed run took +0.0 % time") != std::string::npos);
}

}  // namespace
}  // namespace huddle::planning
