#include "spank_plugin/submission/step_layout.hpp"

#include <doctest/doctest.h>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/asked/placing_options.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"
#include "tests/spank_plugin/submission/planned_step.hpp"

namespace huddle::submission {
namespace {

TEST_CASE("a step with as many ranks as the plan goes where the plan says") {
  PlannedStep step;
  step.start();
  CHECK(step.slurm.options ==
        FakeSlurm::Texts{{"nodes", "2"}, {"distribution", "arbitrary"}, {"nodelist", "n1,n0,n1"}});
  CHECK(told(step.slurm, kStepPlanWord) == step.file());
  CHECK(step.slurm.lines.empty());
}

TEST_CASE(
    "ranks that bind themselves have all cores of their nodes, and know how many are each's") {
  for (const char* tres : {"", "cpu=4", "cpu:4", "cpu=4,license/x=1"}) {
    CAPTURE(tres);
    PlannedStep step;
    step.slurm.options["cpus-per-task"] = "4";
    if (*tres != '\0') step.slurm.options["tres-per-task"] = tres;
    step.start();
    CHECK_FALSE(step.slurm.options.contains("cpus-per-task"));
    CHECK(step.slurm.get("tres-per-task") ==
          (std::string(tres).ends_with("x=1") ? "license/x=1" : ""));
    CHECK(step.slurm.variable("SLURM_CPUS_PER_TASK") == "4");
    CHECK(step.slurm.options.at("distribution") == "arbitrary");
  }
  PlannedStep by_tres;  // which alone does not count as set where Slurm made it of the other
  by_tres.slurm.defaults["tres-per-task"] = "cpu=2";
  by_tres.start();
  CHECK(by_tres.slurm.variable("SLURM_CPUS_PER_TASK") == "2");
  CHECK_FALSE(by_tres.slurm.options.contains("tres-per-task"));
}

TEST_CASE("a step that follows the plan says what the submission said, and no other step does") {
  PlannedStep step;
  tell(step.slurm, kAnnouncementWord, "packed onto 2 of 8 nodes");
  std::vector<std::string> said = {"packed onto 2 of 8 nodes"};
  SUBCASE("with its ranks") {}
  SUBCASE("with others") {
    step.slurm.options["ntasks"] = "5";
    said.clear();
  }
  step.start();
  CHECK(step.slurm.lines == said);
}

TEST_CASE("a step of a job that was given another number of nodes goes where Slurm puts it") {
  for (const auto& [nodes, found] :
       {std::pair(std::vector<std::string>{"n0"}, "1 node"), {{"n0", "n1", "n2"}, "3 nodes"}}) {
    PlannedStep step;
    step.slurm.nodes = nodes;
    step.start();
    CHECK(step.slurm.options.empty());
    CHECK_FALSE(told(step.slurm, kStepPlanWord));
    CHECK(step.slurm.lines ==
          std::vector<std::string>{
              std::string("this step's ranks go where Slurm puts them: its job has ") + found +
              ", and the plan is for 2"});
  }
}

/// A step of a job that keeps its nodes, which hold 1, 2 and 1 of four ranks.
struct KeptStep : PlannedStep {
  explicit KeptStep(const std::string& tasks_per_node) {
    Plan plan;
    plan.ranks = 4;
    plan.node_pus = 4;
    plan.keeps_nodes = true;
    plan.chosen.nodes = 3;
    plan.reference = plan.chosen;
    const PuSet all = PuSet::parse("0-3");
    plan.placement = {{{1}, all}, {{0}, all}, {{2}, all}, {{1}, all}};
    save_plan(plan, file());
    slurm.defaults = {{"ntasks", "4"}, {"nodes", "3"}};
    slurm.nodes = {"n5", "n6", "n7"};
    slurm.variables = {{kStepVariable, with_step_word("", kGroupingWord, file())},
                       {"SLURM_JOB_NODELIST", "n[5-7]"},
                       {"SLURM_TASKS_PER_NODE", tasks_per_node}};
  }
};

TEST_CASE("ranks that Slurm binds keep their number of CPUs") {
  KeptStep kept("1,2,1");
  kept.slurm.options["cpus-per-task"] = "2";
  kept.start();
  CHECK(kept.slurm.options.at("cpus-per-task") == "2");
  PlannedStep refused;
  refused.slurm.options["cpus-per-task"] = "2";
  refused.slurm.refused = "nodelist";
  CHECK_THROWS_AS(refused.start(), Error);
  CHECK(refused.slurm.options.at("cpus-per-task") == "2");
  CHECK_FALSE(refused.slurm.variable("SLURM_CPUS_PER_TASK"));
}

TEST_CASE("on nodes that are kept, ranks go where as many are as the plan has") {
  KeptStep step("1,2,1");
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"nodes", "3"},
                                               {"distribution", "arbitrary"},
                                               {"nodelist", "n6,n5,n7,n6"}});
  CHECK(told(step.slurm, kStepGroupingWord).value() == step.file());
  CHECK_FALSE(told(step.slurm, kStepPlanWord));  // or tasks would bind themselves
  KeptStep other_order("2,1(x2)");
  other_order.start();
  CHECK(other_order.slurm.options.at("nodelist") == "n5,n6,n7,n5");
  CHECK(other_order.slurm.lines.empty());
}

TEST_CASE("on the one node of a job nothing but the tasks' own binding changes") {
  PlannedStep step;
  Plan plan;
  plan.ranks = 2;
  plan.node_pus = 4;
  plan.keeps_nodes = true;
  plan.chosen.nodes = 1;
  plan.reference = plan.chosen;
  plan.placement = {{{0}, PuSet::parse("2")}, {{0}, PuSet::parse("0")}};
  save_plan(plan, step.file());
  step.slurm.defaults = {{"ntasks", "2"}, {"nodes", "1"}};
  step.slurm.nodes = {"n5"};
  step.slurm.variables = {{kStepVariable, with_step_word("", kGroupingWord, step.file())},
                          {"SLURM_JOB_NODELIST", "n5"},
                          {"SLURM_TASKS_PER_NODE", "2"}};
  step.start();
  CHECK(step.slurm.options.empty());
  CHECK(told(step.slurm, kStepPlanWord).value() == step.file());
  CHECK_FALSE(told(step.slurm, kStepGroupingWord));
  step.slurm.nodes = {"n5", "n6"};
  step.start();
  CHECK_FALSE(told(step.slurm, kStepPlanWord));
  CHECK(step.slurm.lines ==
        std::vector<std::string>{"this step's ranks go where Slurm puts them: its job has 2 nodes, "
                                 "and the plan is for 1"});
}

TEST_CASE("on kept nodes that hold other numbers of ranks, they go where Slurm puts them") {
  for (const char* tasks : {"2(x2)", "3,1", "1(x3)", "2(x2),0", "1,2,1,0", ""}) {
    CAPTURE(tasks);
    KeptStep step(tasks);
    step.start();
    CHECK(step.slurm.options.empty());
    REQUIRE(step.slurm.lines.size() == 1);
    CHECK(step.slurm.lines[0].starts_with("this step's ranks go where Slurm puts them"));
    CHECK_FALSE(told(step.slurm, kStepGroupingWord).has_value());
  }
}

TEST_CASE("a number of ranks a node that is the plan's own is no placement") {
  KeptStep same("1,2,1");
  same.slurm.options["ntasks-per-node"] = "2";
  same.start();
  CHECK(same.slurm.options.at("nodelist") == "n6,n5,n7,n6");
  KeptStep other("1,2,1");
  other.slurm.options["ntasks-per-node"] = "4";
  other.start();
  CHECK_FALSE(other.slurm.options.contains("nodelist"));
  CHECK(other.slurm.lines ==
        std::vector<std::string>{"this step's ranks go where --ntasks-per-node "
                                 "says, not where the plan says"});
}

TEST_CASE("a plan of one kind in place of the other is not followed") {
  KeptStep step("1,2,1");
  step.slurm.variables[kPlanVariable] = told(step.slurm, kGroupingWord).value();
  CHECK_THROWS_AS(step.start(), Error);
  CHECK(step.slurm.options.empty());
  PlannedStep packed;
  packed.slurm.variables.erase(kPlanVariable);
  tell(packed.slurm, kGroupingWord, packed.file());
  CHECK_THROWS_AS(packed.start(), Error);
  CHECK(packed.slurm.options.empty());
}

TEST_CASE("other steps, launchers' daemons and parts of several are left alone") {
  PlannedStep other;
  other.slurm.defaults["ntasks"] = "2";
  other.start();
  CHECK(other.slurm.options.empty());
  PlannedStep daemons;
  daemons.slurm.words = {"srun", "--ntasks=2", "/usr/bin/orted"};
  daemons.start();
  CHECK(daemons.slurm.options.empty());
  PlannedStep other_daemons;  // as many as there are ranks, of an mpirun that nobody knows
  other_daemons.slurm.words = {"srun", "--external-launcher", "--ntasks=3", "daemon"};
  other_daemons.start();
  CHECK(other_daemons.slurm.options.empty());
  PlannedStep part;
  part.slurm.variables["SLURM_HET_SIZE"] = "2";
  part.start();
  CHECK(part.slurm.options.empty());
  CHECK(part.slurm.lines.empty());
}

TEST_CASE("a user who places the step's ranks is obeyed, and told so") {
  PlannedStep step;
  step.slurm.options["nodelist"] = "n0";
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"nodelist", "n0"}});
  CHECK(step.slurm.lines ==
        std::vector<std::string>{
            "this step's ranks go where --nodelist says, not where the plan says"});
  PlannedStep fewer;
  fewer.slurm.defaults["nodes"] = "1-1";
  fewer.start();
  CHECK(fewer.slurm.lines.size() == 1);
  CHECK(fewer.slurm.options.empty());
}

TEST_CASE(
    "every option that places ranks comes before the plan, but those that Slurm sets itself") {
  for (const PlacingOption& option : kPlacingOptions) {
    CAPTURE(option.name);
    PlannedStep step;
    step.slurm.options[option.name] = "";
    step.start();
    CHECK(told(step.slurm, kStepPlanWord).has_value() != option.over_plan);
  }
  for (const char* own : {"nodes", "ntasks-per-node"}) {
    PlannedStep step;
    step.slurm.options[own] = "2";
    step.start();
    CHECK(told(step.slurm, kStepPlanWord));
  }
}

TEST_CASE(
    "options that say what the plan does anyway, and the job's own numbers, do not keep from it") {
  PlannedStep step;
  for (const auto& [option, value] : FakeSlurm::Texts{{"cpu-bind", "cores"},
                                                      {"mem-bind", "local"},
                                                      {"distribution", "block"},
                                                      {"threads-per-core", "1"},
                                                      {"ntasks-per-core", "1"},
                                                      {"nodes", "8"},
                                                      {"ntasks-per-node", "1"}})
    step.slurm.options[option] = value;
  step.start();
  CHECK(told(step.slurm, kStepPlanWord));
  CHECK(step.slurm.options.at("distribution") == "arbitrary");
  CHECK(step.slurm.options.at("nodes") == "2");
  CHECK_FALSE(step.slurm.options.contains("ntasks-per-node"));
}

TEST_CASE("a step whose plan is gone asks for no more than its packed job has") {
  FakeSlurm slurm;
  slurm.variables["SLURM_JOB_NUM_NODES"] = "2";
  slurm.options = {{"nodes", "4"}, {"ntasks", "8"}, {"ntasks-per-node", "2"}};
  keep_within_job(slurm);
  CHECK(slurm.options == FakeSlurm::Texts{{"nodes", "2"}, {"ntasks", "8"}});
  for (const FakeSlurm::Texts& fitting :
       {FakeSlurm::Texts{{"nodes", "2"}, {"ntasks", "8"}, {"ntasks-per-node", "4"}},
        FakeSlurm::Texts{{"nodes", "1"}, {"ntasks", "1"}}, FakeSlurm::Texts{}}) {
    slurm.options = fitting;
    keep_within_job(slurm);
    CHECK(slurm.options == fitting);
  }
}

TEST_CASE("what Slurm says of threads in a job with a hint is no placement of a step's user") {
  PlannedStep step;
  step.slurm.options["threads-per-core"] = "2";
  step.slurm.variables["SLURM_THREADS_PER_CORE"] = "2";
  step.slurm.variables["SLURM_HINT"] = "multithread";
  SUBCASE("as the hint has it") {
    step.start();
    CHECK(told(step.slurm, kStepPlanWord));
  }
  SUBCASE("another number, which is the step's own") {
    step.slurm.options["threads-per-core"] = "4";
    step.start();
    CHECK_FALSE(told(step.slurm, kStepPlanWord));
  }
  SUBCASE("without a hint") {
    step.slurm.variables.erase("SLURM_HINT");
    step.start();
    CHECK_FALSE(told(step.slurm, kStepPlanWord));
  }
}

TEST_CASE("a step that Slurm refuses to lay out keeps its own options") {
  PlannedStep step;
  step.slurm.refused = "nodelist";
  CHECK(error_of([&] { step.start(); }) == "Slurm does not take --nodelist from a plugin");
  CHECK(step.slurm.options.empty());
  CHECK_FALSE(told(step.slurm, kStepPlanWord));
}

TEST_CASE("ranks of a step get the plan's frequencies within those that the job was allowed") {
  PlannedStep step;
  step.slurm.variables[kFrequencyVariable] = "1500000-2400000";
  step.start();
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("1500000") != std::string::npos);
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("2000000") != std::string::npos);
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("2400000") == std::string::npos);
  PlannedStep broken;
  broken.slurm.variables[kFrequencyVariable] = "nonsense";
  broken.start();
  CHECK(broken.slurm.variables.at(kFrequencyVariable) == "nonsense");
  REQUIRE(broken.slurm.lines.size() == 1);
  CHECK(broken.slurm.lines[0].starts_with("all ranks run at the job's frequencies"));
}

TEST_CASE("a list of programs is told to the step as one program, by the name of its file") {
  PlannedStep step;
  step.slurm.variables = {{kRecorderVariable, "/lib/recorder.so"}};
  step.slurm.program_words = {"programs", "more"};
  step.start();
  CHECK_FALSE(told(step.slurm, kProgramListWord).has_value());
  step.slurm.options["multi-prog"] = "set";
  step.start();
  CHECK(step.slurm.variables.contains(kRecorderVariable));
  CHECK(told(step.slurm, kProgramListWord) == "1");
  const auto program = launched_program_of(told(step.slurm, kProgramWord).value());
  CHECK(program.path == std::filesystem::absolute("programs"));
}

TEST_CASE("off takes everything back, the preloaded libraries included") {
  PlannedStep step;
  tell(step.slurm, kMpirunHelperWord, "/helper.so");
  step.slurm.variables[kFrequencyVariable] = "1500000-2400000";
  step.slurm.variables["LD_PRELOAD"] = "/own.so:/helper.so";
  step.start("off");
  CHECK(step.slurm.options.empty());
  CHECK(step.slurm.variables ==
        FakeSlurm::Texts{{"LD_PRELOAD", "/own.so"}, {"SLURM_JOB_NODELIST", "n[0-1]"}});
}

TEST_CASE("the recorder's variables are the user's own where nothing was decided") {
  FakeSlurm slurm;
  slurm.variables = {{kStoreVariable, "/own"}, {kFrequencyVariable, "1-2"}};
  forget_what_was_decided(slurm);
  CHECK(slurm.variables == FakeSlurm::Texts{{kStoreVariable, "/own"}});
}

TEST_CASE("jobs that are submitted from a job inherit nothing of what was decided of its teams") {
  FakeSlurm slurm;
  slurm.variables = {{kRecorderVariable, "/r.so"},
                     {kThreadsVariable, "pack"},
                     {kTeamsVariable, "bound 0.05;0 1=1"}};
  forget_what_was_decided(slurm);
  CHECK(slurm.variables.empty());
  slurm.variables = {{kThreadsVariable, "pack"}, {kTeamsVariable, "bound 0.05;0 1=1"}};
  forget_what_was_decided(slurm);
  CHECK(slurm.variables.size() == 2);  // the user's own
}

TEST_CASE("options are put back as they were, set or not") {
  FakeSlurm slurm;
  slurm.options = {{"nodes", "4-8"}};
  slurm.refused = "ntasks";
  CHECK_THROWS_AS(
      change_options(slurm,
                     {{"nodes", "2"}, {"mem", "1"}, {"time", std::nullopt}, {"ntasks", "8"}}),
      Error);
  CHECK(slurm.options == FakeSlurm::Texts{{"nodes", "4-8"}});
  CHECK(parse_node_range("4-8")->least == 4);
  CHECK(parse_node_range("4-8")->most == 8);
  CHECK(parse_node_range("8")->least == 8);
  CHECK(parse_node_range("8")->most == 8);
  for (const char* text : {"many", "", "4-", "-8", "4-8x", "1,3-5"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_node_range(text).has_value());
  }
}

}  // namespace
}  // namespace huddle::submission
