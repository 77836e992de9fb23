#include "aggregator/planning/detail/plans/job_order.hpp"

#include <doctest/doctest.h>

#include <filesystem>

#include "profiles/formats/plan/step_order.hpp"
#include "tests/aggregator/planning/recorded_site.hpp"

namespace huddle::planning {
namespace {

using Numbers = std::vector<std::uint32_t>;

OutcomeRun step_running(const std::string& program, std::optional<std::uint32_t> tasks = {}) {
  OutcomeRun run = step(tasks, "", program);
  run.launched = {"/home/ann/" + program, ""};
  return run;
}

/// A job of 8 ranks, two on each of 4 nodes, whose partners are four apart, and what else it ran.
struct OrderedSite : RecordedSite {
  OrderedSite() {
    request.nodes = 4;
    request.least_nodes = 2;
    for (std::uint32_t rank = 0; rank < 4; ++rank) add_messages(profile, rank, rank + 4, 10, 10);
    profile.executable = "/home/ann/app";
    profile.slurm_job_id = 7;
  }
  Plan plan_with(const std::vector<OutcomeRun>& steps) {
    put("20261122T000001.000Z-7.1-pid9.json", profile);
    std::uint32_t number = 0;
    for (const OutcomeRun& run : steps) record(7, number++, run, OutcomeEnd{Seconds{1}, 0});
    const JobAnswer made = answer();
    REQUIRE(made.decision.action == Decision::Action::kApply);
    said = made.decision.reason;
    return load_plan(made.decision.plan_file);
  }
  Profile profile = run_of(8, 2);
  std::string said;
};

const Numbers kInOrder = {0, 0, 0, 0, 1, 1, 1, 1};

Numbers nodes_of(const Plan& plan) {
  return *nodes_of_step(plan, plan.ranks);
}

TEST_CASE("a job of one program has its ranks grouped as they talk, rank 0 on the first node") {
  OrderedSite site;
  const Plan plan = site.plan_with({step_running("app"), step_running("app")});
  CHECK(plan.grouping == Grouping::kMapped);
  CHECK(nodes_of(plan) == Numbers{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(plan.submitted_ranks == Numbers{2, 2, 2, 2});
  CHECK(plan.order_reason.empty());
}

TEST_CASE("steps of one task ask for no order") {
  OrderedSite site;
  const Plan plan = site.plan_with({step_running("sh", 1), step_running("app")});
  CHECK(plan.grouping == Grouping::kMapped);
  CHECK(plan.order_reason.empty());
}

TEST_CASE("beside a step without MPI ranks stay in order") {
  OrderedSite site;
  const Plan plan = site.plan_with({step_running("stage"), step_running("app")});
  CHECK(plan.grouping == Grouping::kRankOrder);
  CHECK(nodes_of(plan) == kInOrder);
  CHECK(plan.order_reason == "it also runs stage (8 tasks)");
}

TEST_CASE("beside a step of another number of tasks ranks stay in order, and say why") {
  OrderedSite site;
  const Plan plan = site.plan_with({step_running("stage", 4), step_running("app")});
  CHECK(plan.grouping == Grouping::kRankOrder);
  CHECK(nodes_of(plan) == kInOrder);
  CHECK(plan.order_reason == "it also runs stage (4 tasks)");
  CHECK(site.said.find("; ranks stay in order, since it also runs stage (4 tasks)") !=
        std::string::npos);
  CHECK(nodes_of_step(plan, 4) == Numbers{0, 0, 1, 1});
  CHECK(shares_as_submitted(plan, 4));
}

TEST_CASE("programs of one job have their ranks on the same nodes, in order") {
  OrderedSite site;
  Profile other = site.profile;
  other.executable = "/home/ann/prepare";
  site.put("20261122T000001.000Z-7.0-pid9.json", other);
  const Plan plan = site.plan_with({step_running("prepare"), step_running("app")});
  REQUIRE(plan.companions.size() == 1);
  CHECK(nodes_of(plan) == kInOrder);
  CHECK(plan.order_reason == "it also runs prepare (8 tasks)");
  const Plan companion = load_plan(std::filesystem::path(site.decision().plan_file).parent_path() /
                                   plan.companions[0].file);
  CHECK(same_order(plan, companion));
}

TEST_CASE("a step that its user places asks for no order") {
  OrderedSite site;
  site.request.steps_are_safe = true;
  OutcomeRun placed = step_running("stage", 4);
  placed.placed_by = "--nodes";
  CHECK(site.plan_with({placed, step_running("app")}).grouping == Grouping::kMapped);
}

TEST_CASE("ranks that shared a node with tasks of another step are not parted") {
  OrderedSite site;
  site.profile = run_of(24, 3);
  site.request.ranks = 24;
  site.request.nodes = 8;
  site.profile.executable = "/home/ann/app";
  const Plan plan = site.plan_with({step_running("stage", 8), step_running("app")});
  CHECK(plan.ranks_by_node() == Numbers{6, 6, 6, 6});  // three nodes would do for the ranks alone
  CHECK(plan.chosen.nodes == 4);
  CHECK(plan.reference.nodes == 8);
}

TEST_CASE("a step whose tasks would find no room keeps the job as it was submitted") {
  // On four nodes as submitted; on the first one of two here.
  Plan plan;
  plan.ranks = 4;
  plan.chosen.nodes = 2;
  plan.chosen.ranks_per_node = 2;
  plan.submitted_ranks = {1, 1, 1, 1};
  plan.placement = {{{0}, PuSet::parse("0")},
                    {{0}, PuSet::parse("1")},
                    {{0}, PuSet::parse("2")},
                    {{1}, PuSet::parse("0")}};
  JobOrder order;
  order.other_tasks = {3};
  CHECK(words_of(parted_steps(plan, order)) ==
        "its step of 3 tasks would find no room beside the ranks that it shared nodes with");
  order.other_tasks = {2};
  CHECK_FALSE(parted_steps(plan, order));
  plan.submitted_ranks = {1, 1, 2};
  order.other_tasks = {3};
  CHECK(words_of(parted_steps(plan, order)) ==
        "its step of 3 tasks shared nodes with ranks that would be on several");
  plan.submitted_ranks.clear();
  order.obstacle = {.kind = Obstacle::Kind::kAlsoRuns, .name = "stage", .tasks = 3};
  CHECK(words_of(parted_steps(plan, order)) ==
        "it also runs stage (3 tasks), and its ranks were not on nodes in order");
}

TEST_CASE("ranks are in order if consecutive ones are on one node after the other") {
  predict::Reference reference;
  for (const std::uint32_t node : {0U, 0U, 1U, 2U, 2U}) reference.locations.push_back({node});
  CHECK(consecutive_ranks(reference) == Numbers{2, 1, 2});
  reference.locations.push_back({1});
  CHECK(consecutive_ranks(reference).empty());
}

}  // namespace
}  // namespace huddle::planning
