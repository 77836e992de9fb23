// Steps of several programs, or with other numbers of tasks than the plan has ranks.
#include "spank_plugin/submission/step_layout.hpp"

#include <doctest/doctest.h>

#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/planned_step.hpp"

namespace huddle::submission {
namespace {

/// A step of a job that runs two programs, each with a plan of its own.
struct StepOfTwo : PlannedStep {
  StepOfTwo() {
    Plan plan = load_plan(file());
    plan.program = {"/home/ann/solve", ""};
    plan.companions = {{{"/home/ann/prepare", ""}, "plan-1.json"}};
    save_plan(plan, file());
    plan.companions.clear();
    plan.placement = {{{1}, PuSet::parse("1")}, {{0}, PuSet::parse("1")}, {{1}, PuSet::parse("3")}};
    save_plan(plan, companion());
  }
  [[nodiscard]] std::string companion() const {
    return (directory.path() / "plan-1.json").string();
  }
};

TEST_CASE("each program of a job is laid out by its own plan") {
  StepOfTwo step;
  step.slurm.program_words = {"/home/ann/prepare", "-v"};
  step.start();
  CHECK(step.slurm.options.at("nodelist") == "n1,n0,n1");
  CHECK(told(step.slurm, kStepPlanWord) == step.companion());
  CHECK(told(step.slurm, kProgramWord).value() == ":/home/ann/prepare");
  step.slurm.options.clear();
  step.slurm.program_words = {"/home/ann/solve"};
  step.start();
  CHECK(step.slurm.options.at("nodelist") == "n1,n0,n1");
  CHECK(told(step.slurm, kStepPlanWord) == step.file());
}

const char* const kNotMadeForCheck =
    "this step's ranks go to the nodes of the plan's ranks, bound by Slurm: its job's plan was not "
    "made for check";

TEST_CASE("a program without a plan finds what others left on nodes, and Slurm binds it") {
  StepOfTwo step;
  step.slurm.program_words = {"/home/ann/check"};
  step.start();
  CHECK(step.slurm.options.at("nodelist") == "n1,n0,n1");
  CHECK(step.slurm.options.at("distribution") == "arbitrary");
  CHECK_FALSE(told(step.slurm, kStepPlanWord));
  CHECK(step.slurm.lines == std::vector<std::string>{kNotMadeForCheck});
}

TEST_CASE("a program without a plan that its user places goes where that says") {
  StepOfTwo step;
  step.slurm.program_words = {"/home/ann/check"};
  step.slurm.options["distribution"] = "cyclic";
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"distribution", "cyclic"}});
}

TEST_CASE(
    "a companion of another order, as older plans have it, gives a step no order of its own") {
  StepOfTwo step;
  Plan companion = load_plan(step.companion());
  companion.placement = {
      {{0}, PuSet::parse("0")}, {{1}, PuSet::parse("0")}, {{1}, PuSet::parse("2")}};
  save_plan(companion, step.companion());
  step.slurm.program_words = {"/home/ann/prepare"};
  step.start();
  CHECK(step.slurm.options.at("nodelist") == "n1,n0,n1");
  CHECK_FALSE(told(step.slurm, kStepPlanWord));
}

/// A step of another number of tasks, of a job whose ranks were submitted to four nodes.
struct StepOfOthers : PlannedStep {
  explicit StepOfOthers(const std::string& tasks) {
    Plan plan;
    plan.ranks = 8;
    plan.node_pus = 8;
    plan.chosen.nodes = 2;
    plan.chosen.ranks_per_node = 4;
    plan.reference = plan.chosen;
    plan.reference.nodes = 4;
    plan.submitted_ranks = {2, 2, 2, 2};
    for (const std::uint32_t node : {0U, 0U, 0U, 0U, 1U, 1U, 1U, 1U})
      plan.placement.push_back({{node}, PuSet::parse("0")});
    save_plan(plan, file());
    slurm.defaults = {{"ntasks", tasks}, {"nodes", "2"}};
  }
};

TEST_CASE("tasks go to the nodes of the ranks that shared theirs as submitted") {
  StepOfOthers all("4");
  all.start();
  CHECK(all.slurm.options == FakeSlurm::Texts{{"nodes", "2"},
                                              {"distribution", "arbitrary"},
                                              {"nodelist", "n0,n0,n1,n1"}});
  CHECK_FALSE(told(all.slurm, kStepPlanWord));
  CHECK(all.slurm.lines.empty());
  StepOfOthers first("2");  // they were on the first two nodes of four
  first.slurm.defaults["nodes"] = "2";
  first.start();
  CHECK(first.slurm.options ==
        FakeSlurm::Texts{{"nodes", "1"}, {"distribution", "arbitrary"}, {"nodelist", "n0,n0"}});
  StepOfOthers one("1");
  one.start();
  CHECK(one.slurm.options.empty());
}

TEST_CASE(
    "tasks that their user places, or that share nodes' CPUs with others, are left to Slurm") {
  for (const char* option : {"exact", "exclusive", "overlap", "distribution", "overcommit"}) {
    CAPTURE(option);
    StepOfOthers step("4");
    step.slurm.options[option] = "";
    step.start();
    CHECK(step.slurm.options == FakeSlurm::Texts{{option, ""}});
    CHECK(step.slurm.lines.empty());
  }
  for (const char* word : {"-N2", "--ntasks-per-node=2", "--nodes=2"}) {
    CAPTURE(word);
    StepOfOthers step("4");
    step.slurm.words = {"srun", word, "-n", "4", "stage"};
    step.start();
    CHECK(step.slurm.options.empty());
  }
}

TEST_CASE("tasks that would find no room where they belong are left to Slurm, with a line") {
  StepOfOthers step("2");
  step.slurm.options["cpus-per-task"] = "4";
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"cpus-per-task", "4"}});
  REQUIRE(step.slurm.lines.size() == 1);
  CHECK(step.slurm.lines[0].starts_with("this step's tasks go where Slurm puts them"));
}

TEST_CASE("a companion that takes more nodes than its job has lays nothing out") {
  StepOfTwo step;
  Plan companion = load_plan(step.companion());
  companion.chosen.nodes = 3;
  companion.reference.nodes = 3;
  save_plan(companion, step.companion());
  step.slurm.program_words = {"/home/ann/prepare"};
  CHECK(error_of([&] { step.start(); }) == step.companion() + " does not belong to " + step.file());
  CHECK(step.slurm.options.empty());
}

TEST_CASE("the daemons of an mpirun keep the program that it named") {
  StepOfTwo step;
  step.slurm.words = {"srun", "--ntasks=2", "/usr/bin/orted"};
  step.slurm.program_words = {"/usr/bin/orted"};
  tell(step.slurm, kProgramWord, ":/home/ann/prepare");
  step.start();
  CHECK(told(step.slurm, kProgramWord).value() == ":/home/ann/prepare");
}

}  // namespace
}  // namespace huddle::submission
