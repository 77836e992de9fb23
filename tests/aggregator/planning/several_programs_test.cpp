#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "aggregator/planning/planner.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/formats/plan/step_order.hpp"
#include "tests/aggregator/planning/planning_site.hpp"
#include "tests/aggregator/sample_runs.hpp"

namespace huddle::planning {
namespace {

namespace fs = std::filesystem;
using Action = Decision::Action;

/// The profile of one step of a job.
Profile step_of(std::uint64_t job, const std::string& program, double seconds) {
  Profile profile = run_of(8, 1, seconds);
  profile.executable = program;
  profile.slurm_job_id = job;
  return profile;
}

/// Partners are four ranks apart.
Profile with_far_partners(Profile profile) {
  for (std::uint32_t rank = 0; rank < 4; ++rank) add_messages(profile, rank, rank + 4, 10, 10);
  return profile;
}

TEST_CASE("each program that a job runs gets a plan of its own, with the same ranks on each node") {
  PlanningSite site;
  site.request.least_nodes = 2;
  site.put("1.json", with_far_partners(step_of(7, "/home/ann/prepare", 10)));
  site.put("2.json", step_of(7, "/home/ann/solve", 100));
  const JobAnswer answer = site.answer();
  REQUIRE(answer.decision.action == Action::kApply);
  CHECK(answer.decision.nodes == 2);
  CHECK(answer.decision.reason ==
        "trial: packed onto 2 of 8 nodes (1:2:2), predicted +0.0 % time (contention unknown); "
        "ranks stay in order, since it also runs prepare (8 tasks); prepare (1:2:2), predicted "
        "+0.0 % time (contention unknown)");
  const Plan plan = load_plan(answer.decision.plan_file);
  CHECK(plan.program.path == "/home/ann/solve");  // which takes most of the job's time
  REQUIRE(plan.companions.size() == 1);
  CHECK(plan.companions[0].program.path == "/home/ann/prepare");
  const Plan companion =
      load_plan(fs::path(answer.decision.plan_file).parent_path() / plan.companions[0].file);
  CHECK(companion.program.path == "/home/ann/prepare");
  CHECK(plan.placement[0].node == plan.placement[1].node);
  CHECK(same_order(plan, companion));  // though its partners are far apart
  CHECK(site.decision().plan_file == answer.decision.plan_file);
}

TEST_CASE("two steps of one program need one plan") {
  const PlanningSite site;
  site.put("1.json", step_of(7, "/home/ann/solve", 10));
  site.put("2.json", step_of(7, "/home/ann/solve", 100));
  CHECK(site.answer().plan->companions.empty());
}

TEST_CASE("programs that other jobs of the name ran get no plan") {
  const PlanningSite site;
  site.put("1.json", step_of(6, "/home/ann/prepare", 10));
  site.put("2.json", step_of(7, "/home/ann/solve", 100));
  const JobAnswer answer = site.answer();
  CHECK(answer.plan->program.path == "/home/ann/solve");
  CHECK(answer.plan->companions.empty());
  CHECK(answer.plan->made_from.size() == 1);
}

TEST_CASE("what a script started is told apart by what was launched, not by what runs in the end") {
  PlanningSite site;
  Profile first = step_of(7, "/usr/bin/python3", 10);
  first.launched = {"/home/ann/prepare.py", ""};
  Profile second = step_of(7, "/usr/bin/python3", 100);
  second.launched = {"/home/ann/solve.py", ""};
  site.put("1.json", first);
  site.put("2.json", second);
  const JobAnswer answer = site.answer();
  CHECK(answer.plan->program.path == "/home/ann/solve.py");
  REQUIRE(answer.plan->companions.size() == 1);
  CHECK(answer.plan->companions[0].program.path == "/home/ann/prepare.py");
}

TEST_CASE("a program that was built anew goes on being sampled") {
  const PlanningSite site;
  Profile before = step_of(6, "/home/ann/solve", 100);
  before.build_id = "aa";
  Profile after = step_of(7, "/home/ann/solve", 90);
  after.build_id = "bb";
  site.put("1.json", before);
  site.put("2.json", after);
  CHECK(site.answer().plan->made_from.size() == 2);
}

TEST_CASE("of a job that runs very many programs there is no plan") {
  const PlanningSite site;
  for (int i = 0; i < 9; ++i)
    site.put(fmt::format("{}.json", i), step_of(7, fmt::format("/home/ann/part{}", i), 10));
  const Decision decision = site.decision();
  CHECK(decision.action != Action::kApply);
  CHECK(decision.reason.find("more than 8 programs") != std::string::npos);
}

TEST_CASE("a submission that knows its program takes samples of that one alone") {
  PlanningSite site;
  site.put("1.json", step_of(7, "/home/ann/solve", 100));
  site.request.program = {"/home/ann/prepare", ""};
  CHECK(site.decision().action == Action::kMeasure);
  CHECK(site.decision().reason ==
        "this run is measured again: the last run was of solve, not of prepare");
  site.put("2.json", step_of(8, "/home/ann/prepare", 100));
  CHECK(site.decision().action == Action::kApply);
}

}  // namespace
}  // namespace huddle::planning
