#include "spank_plugin/submission/step_layout.hpp"

#include <doctest/doctest.h>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/plan.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "spank_plugin/submission/decided_variables.hpp"
#include "spank_plugin/submission/placing_options.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle {
namespace {

/// An srun in a job that was asked for with a plan: three ranks on two nodes, the first in between.
struct Step {
  Step() {
    Plan plan;
    plan.ranks = 3;
    plan.node_pus = 4;
    plan.chosen.pattern = "1:1:2";
    plan.chosen.nodes = 2;
    plan.chosen.ranks_per_node = 2;
    plan.reference = plan.chosen;
    plan.placement = {{{1}, PuSet::parse("0")}, {{0}, PuSet::parse("0")}, {{1}, PuSet::parse("2")}};
    plan.frequency = Hertz{2e9};
    plan.rank_frequencies = {{1e9}, {2e9}, {1e9}};
    save_plan(plan, file());
    slurm.words = {"srun", "program"};
    slurm.defaults = {{"ntasks", "3"}, {"nodes", "2"}};
    slurm.variables = {{kPlanVariable, file()}, {"SLURM_JOB_NODELIST", "n[0-1]"}};
  }
  [[nodiscard]] std::string file() const { return (directory.path() / "plan.json").string(); }
  void start(std::string_view option = "") {
    lay_out_step(slurm, parse_aggregate_option(option, "option"));
  }

  TemporaryDirectory directory;
  FakeSlurm slurm;
};

TEST_CASE("a step with as many ranks as the plan goes where the plan says") {
  Step step;
  step.start();
  CHECK(step.slurm.options ==
        FakeSlurm::Texts{{"nodes", "2"}, {"distribution", "arbitrary"}, {"nodelist", "n1,n0,n1"}});
  CHECK(step.slurm.variables.at(kStepPlanVariable) == step.file());
  CHECK(step.slurm.lines.empty());
}

TEST_CASE("a step that follows the plan says what the submission said, and no other step does") {
  Step step;
  step.slurm.variables[kAnnouncementVariable] = "packed onto 2 of 8 nodes";
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
    Step step;
    step.slurm.nodes = nodes;
    step.start();
    CHECK(step.slurm.options.empty());
    CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
    CHECK(step.slurm.lines ==
          std::vector<std::string>{
              std::string("this step's ranks go where Slurm puts them: its job has ") + found +
              ", and the plan is for 2"});
  }
}

/// A step of a job that keeps its nodes, which hold 1, 2 and 1 of four ranks.
struct KeptStep : Step {
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
    slurm.variables = {{kGroupingVariable, file()},
                       {"SLURM_JOB_NODELIST", "n[5-7]"},
                       {"SLURM_TASKS_PER_NODE", tasks_per_node}};
  }
};

TEST_CASE("on nodes that are kept, ranks go where as many are as the plan has") {
  KeptStep step("1,2,1");
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"nodes", "3"},
                                               {"distribution", "arbitrary"},
                                               {"nodelist", "n6,n5,n7,n6"}});
  CHECK(step.slurm.variables.at(kStepGroupingVariable) == step.file());
  CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));  // or tasks would bind themselves
  KeptStep other_order("2,1(x2)");
  other_order.start();
  CHECK(other_order.slurm.options.at("nodelist") == "n5,n6,n7,n5");
  CHECK(other_order.slurm.lines.empty());
}

TEST_CASE("on kept nodes that hold other numbers of ranks, they go where Slurm puts them") {
  for (const char* tasks : {"2(x2)", "3,1", "1(x3)", "2(x2),0", "1,2,1,0", ""}) {
    CAPTURE(tasks);
    KeptStep step(tasks);
    step.start();
    CHECK(step.slurm.options.empty());
    REQUIRE(step.slurm.lines.size() == 1);
    CHECK(step.slurm.lines[0].starts_with("this step's ranks go where Slurm puts them"));
    CHECK_FALSE(step.slurm.variables.contains(kStepGroupingVariable));
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
  step.slurm.variables[kPlanVariable] = step.slurm.variables.at(kGroupingVariable);
  CHECK_THROWS_AS(step.start(), Error);
  CHECK(step.slurm.options.empty());
  Step packed;
  packed.slurm.variables.erase(kPlanVariable);
  packed.slurm.variables[kGroupingVariable] = packed.file();
  CHECK_THROWS_AS(packed.start(), Error);
  CHECK(packed.slurm.options.empty());
}

TEST_CASE("other steps, launchers' daemons and parts of several are left alone") {
  Step other;
  other.slurm.defaults["ntasks"] = "2";
  other.start();
  CHECK(other.slurm.options.empty());
  Step daemons;
  daemons.slurm.words = {"srun", "--ntasks=2", "/usr/bin/orted"};
  daemons.start();
  CHECK(daemons.slurm.options.empty());
  Step part;
  part.slurm.variables["SLURM_HET_SIZE"] = "2";
  part.start();
  CHECK(part.slurm.options.empty());
  CHECK(part.slurm.lines.empty());
}

TEST_CASE("a user who places the step's ranks is obeyed, and told so") {
  Step step;
  step.slurm.options["nodelist"] = "n0";
  step.start();
  CHECK(step.slurm.options == FakeSlurm::Texts{{"nodelist", "n0"}});
  CHECK(step.slurm.lines ==
        std::vector<std::string>{
            "this step's ranks go where --nodelist says, not where the plan says"});
  Step fewer;
  fewer.slurm.defaults["nodes"] = "1-1";
  fewer.start();
  CHECK(fewer.slurm.lines.size() == 1);
  CHECK(fewer.slurm.options.empty());
}

TEST_CASE(
    "every option that places ranks comes before the plan, but those that Slurm sets itself") {
  for (const PlacingOption& option : kPlacingOptions) {
    CAPTURE(option.name);
    Step step;
    step.slurm.options[option.name] = "";
    step.start();
    CHECK(step.slurm.variables.contains(kStepPlanVariable) != option.over_plan);
  }
  for (const char* own : {"nodes", "ntasks-per-node"}) {
    Step step;
    step.slurm.options[own] = "2";
    step.start();
    CHECK(step.slurm.variables.contains(kStepPlanVariable));
  }
}

TEST_CASE("what Slurm says of threads in a job with a hint is no placement of a step's user") {
  Step step;
  step.slurm.options["threads-per-core"] = "1";
  step.slurm.variables["SLURM_THREADS_PER_CORE"] = "1";
  step.slurm.variables["SLURM_HINT"] = "compute_bound";
  SUBCASE("as the hint has it") {
    step.start();
    CHECK(step.slurm.variables.contains(kStepPlanVariable));
  }
  SUBCASE("another number, which is the step's own") {
    step.slurm.options["threads-per-core"] = "2";
    step.start();
    CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
  }
  SUBCASE("without a hint") {
    step.slurm.variables.erase("SLURM_HINT");
    step.start();
    CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
  }
}

TEST_CASE("a step that Slurm refuses to lay out keeps its own options") {
  Step step;
  step.slurm.refused = "nodelist";
  CHECK(error_of([&] { step.start(); }) == "Slurm does not take --nodelist from a plugin");
  CHECK(step.slurm.options.empty());
  CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
}

TEST_CASE("ranks of a step get the plan's frequencies within those that the job was allowed") {
  Step step;
  step.slurm.variables[kFrequencyVariable] = "1500000-2400000";
  step.start();
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("1500000") != std::string::npos);
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("2000000") != std::string::npos);
  CHECK(step.slurm.variables.at(kFrequencyVariable).find("2400000") == std::string::npos);
  Step broken;
  broken.slurm.variables[kFrequencyVariable] = "nonsense";
  broken.start();
  CHECK(broken.slurm.variables.at(kFrequencyVariable) == "nonsense");
  REQUIRE(broken.slurm.lines.size() == 1);
  CHECK(broken.slurm.lines[0].starts_with("all ranks run at the job's frequencies"));
}

TEST_CASE("a measured step whose ranks the user binds is not moved") {
  Step step;
  step.slurm.variables = {{kMoveRanksVariable, "1"}};
  step.start();
  CHECK(step.slurm.variables.at(kMoveRanksVariable) == "1");
  step.slurm.options["cpu-bind"] = "cores";
  step.start();
  CHECK(step.slurm.variables.at(kMoveRanksVariable) == "0");
}

TEST_CASE("ranks whose clocks follow their loads stay where the user has placed them") {
  const auto balance = [](const std::map<std::string, std::string>& options) {
    Step step;
    step.slurm.variables = {{kBalanceVariable, "1"}};
    for (const auto& [name, value] : options) step.slurm.options[name] = value;
    step.start();
    return step.slurm.variables.at(kBalanceVariable);
  };
  CHECK(balance({}) == "1");
  for (const char* kind : {"cores", "threads", "quiet,sockets", "verbose,ldoms", "none"}) {
    CAPTURE(kind);
    CHECK(balance({{"cpu-bind", kind}}) == "1");
  }
  for (const char* places : {"map_cpu:0,1,2,3", "quiet,mask_cpu:0x1,0x2", "rank", "map_ldom:0,1"}) {
    CAPTURE(places);
    CHECK(balance({{"cpu-bind", places}}) == kBalanceInPlace);
  }
  CHECK(balance({{"distribution", "cyclic"}}) == kBalanceInPlace);
  CHECK(balance({{"cpu-bind", "cores"}, {"overlap", "1"}}) == kBalanceInPlace);
  Step plain;
  plain.slurm.options["distribution"] = "cyclic";
  plain.start();
  CHECK_FALSE(plain.slurm.variables.contains(kBalanceVariable));
}

TEST_CASE("ranks of a list of programs are not measured, and the measured step says why") {
  for (const auto& [tasks, lines] : {std::pair("16", 1U), std::pair("2", 0U)}) {
    Step step;
    Outcome promised;
    promised.user = "ann";
    promised.label = "halo";
    promised.ranks = 16;
    step.slurm.variables = {{kRecorderVariable, "/lib/recorder.so"},
                            {kOutcomeVariable, to_json(promised)}};
    step.slurm.defaults["ntasks"] = tasks;
    step.start();
    CHECK(step.slurm.variables.contains(kRecorderVariable));
    step.slurm.options["multi-prog"] = "set";
    step.start();
    CHECK_FALSE(step.slurm.variables.contains(kRecorderVariable));
    REQUIRE(step.slurm.lines.size() == lines);
    if (lines == 1)
      CHECK(step.slurm.lines[0].starts_with("not measured: its programs are in a list"));
  }
}

TEST_CASE("off takes everything back, the preloaded libraries included") {
  Step step;
  step.slurm.variables[kMpirunHelperVariable] = "/helper.so";
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

/// A step of a job that runs two programs, each with a plan of its own.
struct StepOfTwo : Step {
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
  CHECK(step.slurm.variables.at(kStepPlanVariable) == step.companion());
  CHECK(step.slurm.variables.at(kProgramVariable) == ":/home/ann/prepare");
  step.slurm.options.clear();
  step.slurm.program_words = {"/home/ann/solve"};
  step.start();
  CHECK(step.slurm.options.at("nodelist") == "n1,n0,n1");
  CHECK(step.slurm.variables.at(kStepPlanVariable) == step.file());
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
  CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
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
  CHECK_FALSE(step.slurm.variables.contains(kStepPlanVariable));
}

/// A step of another number of tasks, of a job whose ranks were submitted to four nodes.
struct StepOfOthers : Step {
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
  CHECK_FALSE(all.slurm.variables.contains(kStepPlanVariable));
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
  step.slurm.variables[kProgramVariable] = ":/home/ann/prepare";
  step.start();
  CHECK(step.slurm.variables.at(kProgramVariable) == ":/home/ann/prepare");
}

}  // namespace
}  // namespace huddle
