#include "aggregator/planning/detail/plan_promises.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "aggregator/planning/planner.hpp"
#include "profiles/executables/build_id.hpp"
#include "profiles/store/timed_runs.hpp"
#include "tests/aggregator/planning/planning_site.hpp"

namespace huddle {
namespace {

using Action = Decision::Action;

/// A site where a program was measured, so that there is a plan for it, and runs of both kinds.
struct TimedSite : MeasuredSite {
  void run(const Plan& plan, bool packed, double seconds, const std::string& build_id = "") {
    TimedLayout layout{"abc", "/home/ann/app", "", 8};
    if (packed) {
      layout.pattern = plan.chosen.pattern;
      layout.nodes = plan.chosen.nodes;
    }
    ++job;
    store_timed_run(
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
  const auto instead = why_run_as_submitted(exact, site.folder() + "/plan.json", site.request);
  REQUIRE(instead.has_value());
  CHECK(instead->decision.reason.find("where +0.0 % was predicted for app and 5 % is the bound") !=
        std::string::npos);
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
  const std::string build = build_id_of_file(own);
  if (build.empty()) return;  // a linker that writes none
  plan.program = {own, build};
  CHECK_FALSE(is_unconfirmed(plan, file, site.request));
  plan.program.build_id = "0123456789abcdef";
  CHECK(is_unconfirmed(plan, file, site.request));
  CHECK(packed_runs_of(plan, file, site.request)
            .starts_with(fmt::format("unconfirmed, as {} was built anew",
                                     std::filesystem::path(own).filename().string())));
  const TimedLayout layout{"abc", own, plan.chosen.pattern, plan.chosen.nodes};
  const TimedRun run{77, "77.0", *parse_utc("2026-11-25T01:00:00Z"), Seconds{1000}, build};
  store_timed_run(site.folder(), layout, run);
  CHECK_FALSE(is_unconfirmed(plan, file, site.request));
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
}  // namespace huddle
